#include "bench/metrics/percentiles.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace mie::bench {
namespace {

constexpr int kWhole = 1000;
constexpr std::int64_t kBeyond = 10;  // values that a shown percentile has above it

double sum_of_squares(std::span<const double> values, double mean) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [mean](double sum, double value) { return sum + (value - mean) * (value - mean); });
}

}  // namespace

double nearest_rank(std::span<const double> sorted, int permille) {
  ENSURE(!sorted.empty() && permille >= 0 && permille <= kWhole, "a percentile of no values, or none of a hundred");
  const auto n = sorted.size();
  const auto rank = (n * static_cast<std::size_t>(permille) + kWhole - 1) / kWhole;  // from 1
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

double linear_percentile(std::span<const double> sorted, int permille) {
  ENSURE(!sorted.empty() && permille >= 0 && permille <= kWhole, "a percentile of no values, or none of a hundred");
  const auto scaled = (sorted.size() - 1) * static_cast<std::size_t>(permille);
  const auto below = scaled / kWhole;
  const double part = static_cast<double>(scaled % kWhole) / kWhole;
  if (part == 0) return sorted[below];  // also where the next one is infinite or not there
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

std::int64_t needed_for(int permille) {
  ENSURE(permille >= 0 && permille < kWhole, "no count is enough for the maximum");
  const std::int64_t beyond = kWhole - permille;
  return (kBeyond * kWhole + beyond - 1) / beyond;
}

Distribution distribution_of(std::vector<double> values) {
  Distribution out;
  out.n = std::ssize(values);
  std::sort(values.begin(), values.end());
  if (!values.empty()) {
    out.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    if (out.n > 1) out.sd = std::sqrt(sum_of_squares(values, out.mean) / static_cast<double>(out.n - 1));
    out.min = values.front();
    out.max = values.back();
  }
  for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
    Percentile& one = out.percentiles[i];
    one = {.permille = kPercentiles[i], .needed = needed_for(kPercentiles[i])};
    one.withheld = out.n < one.needed;
    if (values.empty()) continue;
    one.nearest = nearest_rank(values, one.permille);
    one.linear = linear_percentile(values, one.permille);
  }
  return out;
}

}  // namespace mie::bench
