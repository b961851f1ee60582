#include "bench/diff/mode.h"

#include "server/config_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

namespace mie::diff {
namespace {

constexpr std::string_view kDump = "dump:";
constexpr std::array<std::string_view, 8> kSettings = {"isa",   "kernels",  "attn",    "compute",
                                                       "dtype", "kv-dtype", "threads", "block-size"};

using Complaint = std::optional<std::string>;

Complaint set_count(int& count, const std::string& value) {
  const auto number = parse_integer(value);
  if (!number || *number < 1 || *number > 65536) return "an integer between 1 and 65536";
  count = static_cast<int>(*number);
  return {};
}

Complaint set_kv(Mode& mode, const std::string& value) {
  if (value != "paged" && value != "contiguous" && value != "none") return "one of paged, contiguous, none";
  if (value == "contiguous") mode.config.block_size = "max";
  mode.arrangement.cached = value != "none";
  return {};
}

bool is_setting(std::string_view key) { return std::find(kSettings.begin(), kSettings.end(), key) != kSettings.end(); }

bool is_key(std::string_view key) { return key == "kv" || key == "chunk" || key == "batch" || is_setting(key); }

// What the value should have been. REQUIRES: is_key(key).
Complaint set(Mode& mode, const std::string& key, const std::string& value) {
  if (key == "kv") return set_kv(mode, value);
  if (key == "chunk") return set_count(mode.arrangement.chunk, value);
  if (key == "batch") return set_count(mode.arrangement.batch, value);
  const auto options = config_options();
  const auto option = std::find_if(options.begin(), options.end(), [&](const ConfigOption& o) { return o.name == key; });
  return option->set(mode.config, value);
}

}  // namespace

Result<Mode> parse_mode(const std::string& text, const Config& base) {
  const auto bad = [&](const std::string& why) { return Error{Errc::kConfig, fmt::format("mode {}: {}", text, why), ""}; };
  Mode mode{.config = base};
  if (text.starts_with(kDump)) {
    mode.dump = text.substr(kDump.size());
    return mode.dump.empty() ? Result<Mode>(bad("dump: names a file")) : Result<Mode>(std::move(mode));
  }
  std::istringstream parts(text);
  std::getline(parts, mode.config.backend, ',');
  if (mode.config.backend != "native" && mode.config.backend != "torch")
    return bad("starts with native or torch, or is dump:FILE");
  std::map<std::string, std::string> given;
  for (std::string part; std::getline(parts, part, ',');) {
    const auto equals = part.find('=');
    if (equals == std::string::npos) return bad("KEY=VALUE, got \"" + part + '"');
    const std::string key = part.substr(0, equals), value = part.substr(equals + 1);
    if (!is_key(key)) return bad(fmt::format("the keys are {}, kv, chunk, batch, got \"{}\"", fmt::join(kSettings, ", "), key));
    if (!given.emplace(key, value).second) return bad(key + " is given twice");
    if (const auto complaint = set(mode, key, value)) return bad(fmt::format("{}: must be {}", key, *complaint));
  }
  const auto kv = given.find("kv");
  if (kv != given.end() && kv->second == "contiguous" && given.contains("block-size"))
    return bad("kv=contiguous has no block-size: its block is the whole sequence");
  if (!mode.arrangement.cached && given.contains("chunk")) return bad("kv=none computes whole sequences: it has no chunk");
  return mode;
}

}  // namespace mie::diff
