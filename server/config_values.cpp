#include "server/config_values.h"

#include "core/engine/engine_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace mie {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t scale;
};
constexpr std::array<Unit, 4> kDurations = {{{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}};
constexpr std::array<Unit, 3> kSizes = {{{"GiB", std::int64_t{1} << 30U}, {"MiB", 1 << 20U}, {"KiB", 1 << 10U}}};

// Digits, then the name of a unit; `bare` is the scale without one.
template <std::size_t N>
std::optional<std::int64_t> parse_scaled(std::string_view text, const std::array<Unit, N>& units, std::int64_t bare) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || value < 0) return {};
  const std::string_view name(read.ptr, static_cast<std::size_t>(text.data() + text.size() - read.ptr));
  std::int64_t scale = name.empty() ? bare : 0;
  for (const Unit& unit : units) {
    if (unit.name == name) scale = unit.scale;
  }
  if (scale == 0 || value > std::numeric_limits<std::int64_t>::max() / scale) return {};
  return value * scale;
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return {};
  return value;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto ms = parse_scaled(text, kDurations, 1000);
  constexpr std::int64_t kMost = std::int64_t{1000} * 86'400'000;  // a thousand days: sums of times stay in range
  if (!ms || *ms > kMost) return {};
  return std::chrono::milliseconds(*ms);
}

std::optional<std::int64_t> parse_size(std::string_view text) { return parse_scaled(text, kSizes, 1); }

std::optional<std::vector<int>> parse_core_list(std::string_view text) {
  std::vector<int> cores;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto core = parse_integer(text.substr(begin, end - begin));
    if (!core || *core < 0 || *core > std::numeric_limits<int>::max()) return {};
    if (std::find(cores.begin(), cores.end(), *core) != cores.end()) return {};
    cores.push_back(static_cast<int>(*core));
    begin = end + 1;
  }
  return cores;
}

std::optional<int> parse_speculation(std::string_view text) {
  constexpr int kUsual = 4;
  constexpr std::string_view kPrefix = "ngram:";
  if (text == "off") return 0;
  if (text == "ngram") return kUsual;
  if (!text.starts_with(kPrefix)) return {};
  const auto n = parse_integer(text.substr(kPrefix.size()));
  return n && *n >= 1 && *n < kDraftRows ? std::optional(static_cast<int>(*n)) : std::nullopt;
}

std::string show_duration(std::chrono::milliseconds value) {
  if (value.count() % 1000 != 0) return std::to_string(value.count()) + "ms";
  return std::to_string(value.count() / 1000) + "s";
}

std::string show_size(std::int64_t bytes) {
  for (const Unit& unit : kSizes) {
    if (bytes != 0 && bytes % unit.scale == 0) return std::to_string(bytes / unit.scale) + std::string(unit.name);
  }
  return std::to_string(bytes);
}

}  // namespace mie
