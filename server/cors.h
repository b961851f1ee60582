// What browsers may do: cross-origin answers, preflights, and the Host check against DNS rebinding. Pure functions.
#pragma once

#include "server/request_head.h"
#include "server/server_options.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mie {

using AnswerFields = std::vector<std::pair<std::string, std::string>>;

// Fields of every answer to an allowed origin; none for others.
[[nodiscard]] AnswerFields cors_fields(const ServerOptions& options, const RequestHead& head);

[[nodiscard]] bool is_preflight(const RequestHead& head);
// Fields that answer a preflight, besides those of cors_fields. REQUIRES: is_preflight(head).
[[nodiscard]] AnswerFields preflight_fields(const ServerOptions& options, const RequestHead& head);

// Host without port is localhost, a loopback address or one of options.allowed_hosts. Asked on loopback TCP only.
[[nodiscard]] bool host_allowed(const ServerOptions& options, std::string_view host);

}  // namespace mie
