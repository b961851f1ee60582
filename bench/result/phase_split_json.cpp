// Where the time of successful requests of the window went.
#include "bench/metrics/percentiles.h"
#include "bench/metrics/phases.h"
#include "bench/metrics/sample.h"
#include "bench/result/figures_json.h"

#include <algorithm>
#include <numeric>

namespace mie::bench {
namespace {

using json::JsonWriter;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> percentile_of(const Distribution& of, int permille) {
  const auto found = std::ranges::find(of.percentiles, permille, &Percentile::permille);
  return found == of.percentiles.end() || found->withheld ? std::nullopt : std::optional(found->linear);
}

}  // namespace

void write_phase_split(JsonWriter& out, const RunResult& result) {
  std::array<std::vector<double>, kPhases.size()> values;
  for (const RequestRecord& record : result.records) {
    if (!succeeded(record) || record.warmup || record.intended_ns < result.window.begin_ns ||
        record.intended_ns >= result.window.end_ns)
      continue;
    const auto times = phases_of(record);
    for (std::size_t i = 0; times && i < values.size(); ++i) values[i].push_back((*times)[i]);
  }
  if (values[0].empty()) {
    out.null_member("phase_split");
    return;
  }
  double whole = 0;
  for (const auto& each : values) whole += mean_of(each);
  out.key("phase_split").begin_object();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double mean = mean_of(values[i]);
    const Distribution of = distribution_of(std::move(values[i]));
    out.key(kPhases[i]).begin_object().member("n", of.n).key("mean").number(mean);
    out.member_or_null("p50", percentile_of(of, 500)).member_or_null("p99", percentile_of(of, 990));
    out.key("share").number(whole > 0 ? mean / whole : 0).end_object();
  }
  out.end_object();
}

}  // namespace mie::bench
