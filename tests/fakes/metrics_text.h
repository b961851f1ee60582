// Reads the Prometheus text exposition back, so that tests see what a scraper sees. Values; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mie {

class MetricsText {
 public:
  using Labels = std::map<std::string, std::string>;

  // A malformed line is a std::runtime_error that quotes it.
  explicit MetricsText(std::string_view exposition);

  // The one series of this name whose labels contain `labels`; none or several: std::runtime_error.
  [[nodiscard]] double value(std::string_view name, const Labels& labels = {}) const;

  // Over every series of this name whose labels contain `labels`; 0 where there is none.
  [[nodiscard]] double sum(std::string_view name, const Labels& labels = {}) const;

  [[nodiscard]] bool has(std::string_view name) const;

 private:
  struct Series {
    std::string name;
    Labels labels;
    double value = 0;
  };
  [[nodiscard]] std::vector<const Series*> find(std::string_view name, const Labels& labels) const;

  std::vector<Series> series_;
};

}  // namespace mie
