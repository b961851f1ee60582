// The machine that a figure was measured on: what it is, and what moves while something runs. Read from /proc and /sys; what a
// system does not tell is absent. Values; any thread.
#pragma once

#include "server/json/response_write.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mie::bench {

struct HostFacts {
  std::string hostname_hash;  // first 12 digits of its SHA-256: tells machines apart without naming them
  std::string cpu, kernel, clocksource, governor, huge_pages, isa, turbo;
  int n_online = 0;           // hardware threads
  std::vector<int> affinity;  // those that this process may run on
  std::optional<bool> smt;
  std::vector<std::string> caches;       // "L1 Data 48K" of the first core
  std::vector<std::string> mitigations;  // "spectre_v2: Mitigation: …"
  std::optional<std::int64_t> min_khz, max_khz;
  std::int64_t ram_bytes = 0;
  int n_numa_nodes = 0;
  std::string cpu_quota;  // of the control group: "200000 100000" µs, or "max"
  bool container = false;
};

[[nodiscard]] HostFacts host_facts();

// What differs between before and after.
struct HostState {
  std::array<double, 3> load_average{};
  std::optional<std::int64_t> khz;
  double steal_s = 0;                       // since the machine started, over all cores
  std::optional<std::int64_t> n_throttles;  // thermal, of the first core
};

[[nodiscard]] HostState host_state();

// One object.
void write_host(json::JsonWriter& out, const HostFacts& facts, const HostState& before, const HostState& after);

}  // namespace mie::bench
