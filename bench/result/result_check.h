// Whether a folder of results is what its schema says and its files agree: a result that does not bear itself out is none.
// Reads files; any thread.
#pragma once

#include "core/base/error.h"

#include <string>

namespace mie::bench {

inline constexpr std::string_view kResultSchema = "mie.result/1";

// Of a result.json: what it is, in words. Errors: kConfig: a member is missing, the specification has another hash than is
// written, it expands to other requests, requests.jsonl cannot be read or has other counts.
[[nodiscard]] Result<std::string> check_result(const std::string& path);

}  // namespace mie::bench
