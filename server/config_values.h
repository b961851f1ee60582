// Texts of settings: integers, durations ("500ms", "30s", "2m"; bare: seconds), sizes ("1GiB"; bare: bytes). Pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mie {

[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> parse_size(std::string_view text);

// "0,1,4": at least one core, each once.
[[nodiscard]] std::optional<std::vector<int>> parse_core_list(std::string_view text);

// "off": 0; "ngram": 4; "ngram:k": k drafts, 1 … 7.
[[nodiscard]] std::optional<int> parse_speculation(std::string_view text);

[[nodiscard]] std::string show_duration(std::chrono::milliseconds value);
[[nodiscard]] std::string show_size(std::int64_t bytes);

}  // namespace mie
