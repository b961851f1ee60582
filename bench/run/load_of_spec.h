// A specification as what the load client and a server need of it. Pure but for the key's environment variable; any thread.
#pragma once

#include "bench/load/load_settings.h"
#include "bench/run/server_facts.h"
#include "bench/workload/spec/workload_spec.h"
#include "core/base/error.h"

#include <string>

namespace mie::bench {

// The header fields of every request, the key among them. Error kConfig: the variable of `target.api_key_env` is not set.
[[nodiscard]] Result<HeaderFields> header_fields(const TargetSpec& target);

// `url`: where the server is. The model is the specification's, else the first that the server serves.
[[nodiscard]] LoadSettings load_settings(const WorkloadSpec& spec, const std::string& url, const ServerFacts& server,
                                         const HeaderFields& fields);

// The same for requests that warm up: one after the other.
[[nodiscard]] LoadSettings one_by_one(LoadSettings settings);

// Flags of `mie serve` for an arm: {"block_size": 16} → --block-size 16.
[[nodiscard]] std::vector<std::string> server_flags(const ArmSpec& arm);

}  // namespace mie::bench
