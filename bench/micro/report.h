// The report of a run: tables for a terminal, or one JSON object. Pure functions.
#pragma once

#include "bench/micro/gates.h"
#include "bench/micro/measured.h"

#include <string>
#include <string_view>
#include <vector>

namespace mie::bench {

struct MicroReport {
  std::string isa, version, commit, cpu;
  int n_threads = 1;
  native::ProbeResult before, after;  // of the whole run
  std::vector<Measured> cases;
  std::vector<Judged> gates;
};

[[nodiscard]] std::string probe_line(std::string_view label, const native::ProbeResult& probe);
[[nodiscard]] std::string as_text(const MicroReport& report);
[[nodiscard]] std::string as_json(const MicroReport& report);

}  // namespace mie::bench
