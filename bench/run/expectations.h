// Whether a server is the one that a specification is for: `target.expect` against what the server says of itself. Pure; any
// thread.
#pragma once

#include "bench/run/server_facts.h"
#include "bench/workload/spec/target_spec.h"
#include "core/base/error.h"

#include <optional>

namespace mie::bench {

// Error kConfig: another value than expected, or none: what a server does not tell may be anything.
[[nodiscard]] std::optional<Error> unexpected_server(const ExpectSpec& expected, const ServerIdentity& server);

}  // namespace mie::bench
