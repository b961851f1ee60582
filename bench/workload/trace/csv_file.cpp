#include "bench/workload/trace/csv_file.h"

#include <fmt/format.h>
#include <boost/tokenizer.hpp>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

namespace mie::bench {
namespace {

std::vector<std::string> cells_of(std::string line) {
  if (line.ends_with('\r')) line.pop_back();
  using Separator = boost::escaped_list_separator<char>;
  const boost::tokenizer<Separator> cells(line, Separator("", ",", "\""));
  return {cells.begin(), cells.end()};
}

}  // namespace

Result<CsvFile> CsvFile::open(const std::string& path, const std::vector<std::string>& columns) {
  CsvFile file;
  file.name_ = std::filesystem::path(path).filename().string();
  file.in_.open(path);
  std::string head;
  if (!std::getline(file.in_, head)) return Error{Errc::kConfig, file.name_ + ": cannot be read", ""};
  if (head.starts_with("\xEF\xBB\xBF")) head.erase(0, 3);
  for (const std::string& column : cells_of(head)) file.columns_.emplace(column, file.columns_.size());
  for (const std::string& column : columns) {
    if (!file.columns_.contains(column))
      return Error{Errc::kConfig, fmt::format("{}:1: has no column {}", file.name_, column), ""};
  }
  return file;
}

bool CsvFile::next() {
  for (std::string line; std::getline(in_, line);) {
    ++line_;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    cells_ = cells_of(std::move(line));
    return true;
  }
  return false;
}

std::string_view CsvFile::text(std::string_view column) const {
  const auto at = columns_.find(column);
  return at == columns_.end() || at->second >= cells_.size() ? std::string_view{} : std::string_view(cells_[at->second]);
}

std::optional<double> CsvFile::number(std::string_view column) const {
  const std::string_view cell = text(column);
  double value = 0;
  const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (read.ec != std::errc{} || read.ptr != cell.data() + cell.size() || !std::isfinite(value)) return {};
  return value;
}

std::optional<int> CsvFile::count(std::string_view column) const {
  const auto value = number(column);
  if (!value || *value < 0 || *value > std::numeric_limits<int>::max() || *value != std::floor(*value)) return {};
  return static_cast<int>(*value);
}

Error CsvFile::fault(std::string_view column, std::string_view text) const {
  return {Errc::kConfig, fmt::format("{}:{}: {} {}", name_, line_, column, text), std::string(column)};
}

}  // namespace mie::bench
