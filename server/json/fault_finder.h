// The slow second look at a body that simdjson refused. simdjson says that a text is wrong, not where; it also refuses
// integers beyond 64 bits, which are legal JSON. This walker finds the first fault with its byte and path, and where
// integers beyond 64 bits are all there is, rewrites them as doubles. Pure; one pass; recursion bounded by kMaxDepth.
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace mie::json {

struct RewrittenIntegers {
  std::string text;                // the body with every oversized integer written as a double
  std::vector<std::string> paths;  // where they stand
};

// REQUIRES: valid UTF-8. Errors as RequestDocument::parse; a text without any fault and without such an integer comes back
// unchanged with no paths.
Result<RewrittenIntegers> find_fault(std::string_view body);

}  // namespace mie::json
