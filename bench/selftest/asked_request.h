// Requests out of the bytes of a connection, as far as the known-answer server has to understand them. One thread.
#pragma once

#include "bench/selftest/answer_plan.h"

#include <simdjson.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace mie::bench {

struct WholeRequest {
  std::string_view target;  // of the request line
  std::string_view body;
  std::size_t size = 0;  // of head and body
};

// Nothing while it is not whole. Takes what the load client sends: a Content-Length, or no body.
[[nodiscard]] std::optional<WholeRequest> whole_request(std::string_view bytes);

[[nodiscard]] AskedRequest asked_of(const WholeRequest& request, simdjson::dom::parser& parser);

}  // namespace mie::bench
