#include "bench/metrics/in_flight.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mie::bench {

InFlight in_flight(std::span<const Window> intervals, const Window& window) {
  std::vector<std::pair<std::int64_t, int>> edges;  // −1 sorts before +1 at the same instant
  double inside = 0;                                // ns
  for (const Window& one : intervals) {
    const Window cut = {std::max(one.begin_ns, window.begin_ns), std::min(one.end_ns, window.end_ns)};
    if (cut.begin_ns >= cut.end_ns) continue;
    inside += static_cast<double>(cut.end_ns - cut.begin_ns);
    edges.emplace_back(cut.begin_ns, 1);
    edges.emplace_back(cut.end_ns, -1);
  }
  if (window.begin_ns >= window.end_ns) return {};
  std::sort(edges.begin(), edges.end());
  InFlight out{.mean = inside / static_cast<double>(window.end_ns - window.begin_ns)};
  int now = 0;
  for (const auto& [at_ns, change] : edges) out.max = std::max(out.max, now += change);
  return out;
}

std::vector<Window> flights_of(std::span<const RequestRecord> records) {
  std::vector<Window> out;
  for (const RequestRecord& record : records) {
    if (!record.send_ns) continue;
    out.push_back({*record.send_ns, record.end_ns.value_or(std::numeric_limits<std::int64_t>::max())});
  }
  return out;
}

}  // namespace mie::bench
