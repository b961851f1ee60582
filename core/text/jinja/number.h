// Python's arithmetic on int, float and bool (which counts as int). Integers are 64 bits: what would need more is an error,
// never a wrong number. Pure functions; any thread.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/value.h"

#include <optional>
#include <string_view>

namespace mie::jinja {

enum class Arithmetic { kAdd, kSubtract, kMultiply, kDivide, kFloorDivide, kModulo, kPower };

[[nodiscard]] std::string_view symbol(Arithmetic operation);  // "//"

[[nodiscard]] bool is_number(const Value& value);                        // bool, int or float
[[nodiscard]] std::optional<std::int64_t> integral(const Value& value);  // of a bool or an int
[[nodiscard]] double to_real(const Value& number);                       // REQUIRES: is_number(number)
[[nodiscard]] bool equal_numbers(const Value& a, const Value& b);        // exact, also between int and float
[[nodiscard]] bool less_numbers(const Value& a, const Value& b);         // REQUIRES: both are numbers

Result<Value> calculate(Arithmetic operation, const Value& a, const Value& b);  // REQUIRES: both are numbers
Result<Value> negate(const Value& number);
Result<Value> round_number(const Value& number, std::int64_t n_digits);  // round(number, n_digits): half to even

// int(text, base) and float(text): surrounding space and single underscores allowed. Nothing where Python has ValueError.
std::optional<std::int64_t> parse_integer(std::string_view text, int base);
std::optional<double> parse_real(std::string_view text);
// int(number): towards zero. Error where the value does not fit 64 bits.
Result<std::int64_t> truncate_real(double value);

}  // namespace mie::jinja
