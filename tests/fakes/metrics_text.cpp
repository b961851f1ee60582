#include "tests/fakes/metrics_text.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace mie {
namespace {

[[noreturn]] void malformed(std::string_view line) { throw std::runtime_error("malformed line: " + std::string(line)); }

// Takes `a="b",…` up to and with the closing brace off the front of `rest`.
MetricsText::Labels take_labels(std::string_view& rest, std::string_view line) {
  MetricsText::Labels labels;
  while (!rest.empty() && rest.front() != '}') {
    const auto equals = rest.find("=\"");
    if (equals == std::string_view::npos) malformed(line);
    const std::string name(rest.substr(0, equals));
    rest.remove_prefix(equals + 2);
    std::string value;
    while (!rest.empty() && rest.front() != '"') {
      if (rest.front() == '\\' && rest.size() > 1) {
        value += rest[1] == 'n' ? '\n' : rest[1];
        rest.remove_prefix(2);
      } else {
        value += rest.front();
        rest.remove_prefix(1);
      }
    }
    if (rest.empty() || !labels.emplace(name, value).second) malformed(line);
    rest.remove_prefix(1);
    if (!rest.empty() && rest.front() == ',') rest.remove_prefix(1);
  }
  if (rest.empty()) malformed(line);
  rest.remove_prefix(1);
  return labels;
}

}  // namespace

MetricsText::MetricsText(std::string_view exposition) {
  while (!exposition.empty()) {
    const std::string_view line = exposition.substr(0, exposition.find('\n'));
    exposition.remove_prefix(std::min(exposition.size(), line.size() + 1));
    if (line.empty() || line.front() == '#') continue;
    Series series;
    std::string_view rest = line;
    series.name = rest.substr(0, rest.find_first_of("{ "));
    rest.remove_prefix(series.name.size());
    if (!rest.empty() && rest.front() == '{') {
      rest.remove_prefix(1);
      series.labels = take_labels(rest, line);
    }
    const std::string number(rest);
    char* end = nullptr;
    series.value = std::strtod(number.c_str(), &end);
    if (series.name.empty() || number.size() < 2 || end == number.c_str()) malformed(line);
    series_.push_back(std::move(series));
  }
}

std::vector<const MetricsText::Series*> MetricsText::find(std::string_view name, const Labels& labels) const {
  std::vector<const Series*> found;
  for (const Series& series : series_) {
    const bool matches = std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
      const auto has = series.labels.find(label.first);
      return has != series.labels.end() && has->second == label.second;
    });
    if (series.name == name && matches) found.push_back(&series);
  }
  return found;
}

double MetricsText::value(std::string_view name, const Labels& labels) const {
  const auto found = find(name, labels);
  if (found.size() != 1) throw std::runtime_error(std::to_string(found.size()) + " series of " + std::string(name));
  return found.front()->value;
}

double MetricsText::sum(std::string_view name, const Labels& labels) const {
  double sum = 0;
  for (const Series* series : find(name, labels)) sum += series->value;
  return sum;
}

bool MetricsText::has(std::string_view name) const { return !find(name, {}).empty(); }

}  // namespace mie
