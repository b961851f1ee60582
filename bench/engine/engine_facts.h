// What an engine in this process is, as a server would say it. Pure; any thread.
#pragma once

#include "bench/run/server_facts.h"
#include "server/api/served_model.h"

namespace mie::bench {

[[nodiscard]] ServerFacts facts_of(const api::ServedModel& model);

}  // namespace mie::bench
