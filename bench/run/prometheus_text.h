// The sums that a server's /metrics holds: of each series over its labels, which is what a comparison of work needs. Pure; any
// thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace mie::bench {

// Name without labels → sum over its label sets. Buckets of histograms are left out; what is no number is skipped.
using MetricSums = std::map<std::string, double, std::less<>>;

[[nodiscard]] MetricSums metric_sums(std::string_view text);

[[nodiscard]] std::optional<double> sum_of(const MetricSums& sums, std::string_view name);

}  // namespace mie::bench
