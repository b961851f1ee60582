// Fixed texts of HTTP. Pure functions, independent of the locale.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

namespace mie {

[[nodiscard]] std::string_view reason_phrase(int status);
[[nodiscard]] std::string http_date(std::time_t seconds);  // "Thu, 01 Jan 2026 00:00:00 GMT"

}  // namespace mie
