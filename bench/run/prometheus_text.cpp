#include "bench/run/prometheus_text.h"

#include <charconv>

namespace mie::bench {
namespace {

// `name{label="value"} number [time]`; label values may hold any character, braces and spaces too.
void add_line(std::string_view line, MetricSums& sums) {
  const std::size_t name_end = line.find_first_of("{ ");
  if (line.empty() || line.front() == '#' || name_end == std::string_view::npos) return;
  const std::string_view name = line.substr(0, name_end);
  if (name.ends_with("_bucket")) return;
  std::size_t at = name_end;
  if (line[at] == '{') {
    for (bool quoted = false; at < line.size() && (quoted || line[at] != '}'); ++at) {
      if (line[at] == '\\' && quoted) {
        ++at;
      } else if (line[at] == '"') {
        quoted = !quoted;
      }
    }
    ++at;
  }
  while (at < line.size() && line[at] == ' ') ++at;
  double value = 0;
  if (at >= line.size() || std::from_chars(line.data() + at, line.data() + line.size(), value).ec != std::errc{}) return;
  sums[std::string(name)] += value;
}

}  // namespace

MetricSums metric_sums(std::string_view text) {
  MetricSums sums;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    add_line(text.substr(0, end), sums);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return sums;
}

std::optional<double> sum_of(const MetricSums& sums, std::string_view name) {
  const auto found = sums.find(name);
  return found == sums.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace mie::bench
