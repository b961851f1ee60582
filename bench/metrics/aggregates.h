// Rates and counts of a run over its measured window. Pure; any thread.
#pragma once

#include "bench/metrics/in_flight.h"
#include "bench/metrics/request_metrics.h"
#include "bench/metrics/window.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mie::bench {

// Per second of the window. Requests of the warm-up count where they reach into it: they are load like the others.
struct Rates {
  double requests = 0;      // that ended well
  double output = 0;        // tokens stamped inside
  double input = 0;         // prompt tokens of requests whose first token is inside
  double cached_input = 0;  // those of them that came from the prefix cache
  double peak_output = 0;   // of the best whole second; of the window, where that is shorter
  [[nodiscard]] double total() const { return input + output; }
};

[[nodiscard]] Rates rates_of(std::span<const RequestRecord> records, const Window& window);

// Of requests offered in the window, warm-up excluded; by status, in the order of kStatuses.
struct Counts {
  int offered = 0;
  int sent = 0;
  std::array<int, kStatuses.size()> by_status{};
  std::int64_t prompt_tokens = 0, cached_tokens = 0, output_tokens = 0;
};

[[nodiscard]] Counts counts_of(std::span<const RequestRecord> records, const Window& window);

// |L − λW| / L with the mean in flight L, the rate λ at which requests ended and their mean time W: near 0 in a steady window.
// Absent when nothing was in flight or nothing ended.
[[nodiscard]] std::optional<double> little_residual(std::span<const RequestRecord> records, const Window& window);

enum class Comparison { kAtMost, kBelow, kAtLeast, kAbove };

struct Slo {
  Metric metric = Metric::kTtft;
  Comparison comparison = Comparison::kAtMost;
  double value_ms = 0;
};

struct Goodput {
  int good = 0;      // succeeded and met every objective; a missing figure meets none
  int offered = 0;   // all, whatever became of them
  double rate = 0;   // good per second
  double share = 0;  // good / offered; 0 of nothing
};

[[nodiscard]] bool meets(const RequestRecord& record, std::span<const Slo> slos);
[[nodiscard]] Goodput goodput_of(std::span<const RequestRecord> records, std::span<const Slo> slos, const Window& window);

}  // namespace mie::bench
