// The values of one metric over a window, as a distribution is made of. Two views: of the requests that succeeded, and of all
// of them, where a failed one counts as long as its limit: a mean over the successful alone improves when requests fail.
// Pure; any thread.
#pragma once

#include "bench/metrics/request_metrics.h"
#include "bench/metrics/window.h"

#include <optional>
#include <span>
#include <vector>

namespace mie::bench {

enum class View { kOk, kAll };

// How long a failed request is taken to have lasted, from its send (for the intended clock: from its intended instant).
struct Censoring {
  std::optional<std::int64_t> limit_ns{};  // the client's timeout, or the deadline that the server was given
  std::int64_t run_end_ns = 0;             // where there is neither: it lasts until the run ended
};

struct Sample {
  std::vector<double> values;  // seconds
  int n_undefined = 0;         // requests of the view that have no such figure (tpot of one token)
  int n_censored = 0;          // values that are a limit
};

[[nodiscard]] bool succeeded(const RequestRecord& record);

// Gaps (itl, event_gap) are pooled over the requests. Censored are ttft and e2el on both clocks; of other metrics the two views
// are equal. A client that went away on purpose did not fail and is in neither view.
[[nodiscard]] Sample sample_of(std::span<const RequestRecord> records, Metric metric, View view, const Window& window,
                               const Censoring& censoring);

}  // namespace mie::bench
