#include "core/text/jinja/number.h"

#include "core/text/jinja/failure.h"
#include "core/text/jinja/try.h"
#include "core/text/jinja/unicode.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace mie::jinja {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;

Error too_big() { return failure("integer needs more than 64 bits"); }

Result<std::int64_t> power_of_integers(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (;; exponent >>= 1) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return too_big();
    if (exponent <= 1) return result;
    if (__builtin_mul_overflow(base, base, &base)) return too_big();
  }
}

double floor_mod(double a, double b) {
  const double rest = std::fmod(a, b);
  if (rest == 0.0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

double floor_divide(double a, double b) {
  const double quotient = (a - floor_mod(a, b)) / b;
  if (quotient == 0.0) return std::copysign(0.0, a / b);
  const double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1.0 : floored;
}

Result<Value> calculate_integers(Arithmetic operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (operation) {
    case Arithmetic::kAdd:
      if (__builtin_add_overflow(a, b, &result)) return too_big();
      return Value::integer(result);
    case Arithmetic::kSubtract:
      if (__builtin_sub_overflow(a, b, &result)) return too_big();
      return Value::integer(result);
    case Arithmetic::kMultiply:
      if (__builtin_mul_overflow(a, b, &result)) return too_big();
      return Value::integer(result);
    case Arithmetic::kDivide:
      if (b == 0) return failure("division by zero");
      return Value::real(static_cast<double>(a) / static_cast<double>(b));
    case Arithmetic::kFloorDivide:
    case Arithmetic::kModulo: {
      if (b == 0)
        return failure(operation == Arithmetic::kModulo ? "integer modulo by zero" : "integer division or modulo by zero");
      if (b == -1) return operation == Arithmetic::kModulo ? Value::integer(0) : negate(Value::integer(a));
      const bool round_down = a % b != 0 && (a % b < 0) != (b < 0);
      if (operation == Arithmetic::kModulo) return Value::integer(a % b + (round_down ? b : 0));
      return Value::integer(a / b - (round_down ? 1 : 0));
    }
    case Arithmetic::kPower:
      break;
  }
  if (b < 0) {
    if (a == 0) return failure("0.0 cannot be raised to a negative power");
    return Value::real(std::pow(static_cast<double>(a), static_cast<double>(b)));
  }
  MIE_TRY(const std::int64_t power, power_of_integers(a, b));
  return Value::integer(power);
}

Result<Value> calculate_reals(Arithmetic operation, double a, double b) {
  switch (operation) {
    case Arithmetic::kAdd:
      return Value::real(a + b);
    case Arithmetic::kSubtract:
      return Value::real(a - b);
    case Arithmetic::kMultiply:
      return Value::real(a * b);
    case Arithmetic::kDivide:
      if (b == 0) return failure("float division by zero");
      return Value::real(a / b);
    case Arithmetic::kFloorDivide:
      if (b == 0) return failure("float floor division by zero");
      return Value::real(floor_divide(a, b));
    case Arithmetic::kModulo:
      if (b == 0) return failure("float modulo");
      return Value::real(floor_mod(a, b));
    case Arithmetic::kPower:
      break;
  }
  if (a == 0 && b < 0) return failure("0.0 cannot be raised to a negative power");
  const double power = std::pow(a, b);
  if (std::isnan(power) && !std::isnan(a) && !std::isnan(b)) return failure("complex numbers are not supported");
  if (std::isinf(power) && std::isfinite(a) && std::isfinite(b)) return failure("(34, 'Numerical result out of range')");
  return Value::real(power);
}

std::string_view strip_space(std::string_view text) {
  while (!text.empty() && is_space(code_point(text.substr(0, next_character(text, 0)))))
    text.remove_prefix(next_character(text, 0));
  while (!text.empty() && is_space(code_point(text.substr(previous_character(text, text.size())))))
    text = text.substr(0, previous_character(text, text.size()));
  return text;
}

// Drops underscores that stand between two digits; nothing if one stands elsewhere.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      digits += text[i];
      continue;
    }
    const bool inside = i > 0 && i + 1 < text.size() && std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0 &&
                        std::isalnum(static_cast<unsigned char>(text[i + 1])) != 0;
    if (!inside) return std::nullopt;
  }
  return digits;
}

// Takes "0x", "0o" or "0b" off where `base` wants or allows it; base 0 becomes what the prefix says.
std::string_view take_prefix(std::string_view digits, int& base) {
  constexpr std::array<std::pair<char, int>, 3> kPrefixes{{{'x', 16}, {'o', 8}, {'b', 2}}};
  if (digits.size() > 2 && digits[0] == '0')
    for (const auto& [letter, prefix_base] : kPrefixes)
      if ((digits[1] | 0x20) == letter && (base == 0 || base == prefix_base)) {
        base = prefix_base;
        return digits.substr(digits[2] == '_' ? 3 : 2);
      }
  if (base == 0) base = 10;
  return digits;
}

}  // namespace

std::string_view symbol(Arithmetic operation) {
  constexpr std::array<std::string_view, 7> kSymbols{"+", "-", "*", "/", "//", "%", "** or pow()"};
  return kSymbols[static_cast<std::size_t>(operation)];
}

bool is_number(const Value& value) { return value.is(Kind::kInteger) || value.is(Kind::kReal) || value.is(Kind::kBoolean); }

std::optional<std::int64_t> integral(const Value& value) {
  if (value.is(Kind::kInteger)) return value.as_integer();
  if (value.is(Kind::kBoolean)) return value.as_boolean() ? 1 : 0;
  return std::nullopt;
}

double to_real(const Value& number) {
  if (const auto integer = integral(number)) return static_cast<double>(*integer);
  return number.as_real();
}

bool equal_numbers(const Value& a, const Value& b) {
  return !less_numbers(a, b) && !less_numbers(b, a) && !std::isnan(to_real(a)) && !std::isnan(to_real(b));
}

bool less_numbers(const Value& a, const Value& b) {
  const auto a_integer = integral(a), b_integer = integral(b);
  if (a_integer && b_integer) return *a_integer < *b_integer;
  if (!a_integer && !b_integer) return a.as_real() < b.as_real();
  // One of each: compare whole numbers as integers, so that no digit is lost above 2^53.
  const double real = a_integer ? b.as_real() : a.as_real();
  if (std::isnan(real)) return false;
  if (real >= kTwoTo63) return a_integer.has_value();
  if (real < -kTwoTo63) return b_integer.has_value();
  const auto floored = static_cast<std::int64_t>(std::floor(real));
  const bool whole = std::floor(real) == real;
  if (a_integer) return whole ? *a_integer < floored : *a_integer <= floored;
  return floored < *b_integer;
}

Result<Value> calculate(Arithmetic operation, const Value& a, const Value& b) {
  const auto a_integer = integral(a), b_integer = integral(b);
  if (a_integer && b_integer) return calculate_integers(operation, *a_integer, *b_integer);
  return calculate_reals(operation, to_real(a), to_real(b));
}

Result<Value> negate(const Value& number) {
  const auto integer = integral(number);
  if (!integer) return Value::real(-number.as_real());
  if (*integer == std::numeric_limits<std::int64_t>::min()) return too_big();
  return Value::integer(-*integer);
}

Result<Value> round_number(const Value& number, std::int64_t n_digits) {
  constexpr std::int64_t kMostDigits = 400;  // a double has no digit beyond
  if (const auto integer = integral(number)) {
    if (n_digits >= 0) return Value::integer(*integer);
    if (n_digits < -18) return Value::integer(0);
    MIE_TRY(const std::int64_t unit, power_of_integers(10, -n_digits));
    const std::int64_t rest = ((*integer % unit) + unit) % unit;
    const std::int64_t down = *integer - rest;
    const bool up = rest > unit / 2 || (rest == unit / 2 && ((down / unit) & 1) != 0);
    return calculate_integers(Arithmetic::kAdd, down, up ? unit : 0);
  }
  const double value = number.as_real();
  if (!std::isfinite(value) || n_digits > kMostDigits) return number;
  if (n_digits < 0) {
    const double unit = std::pow(10.0, static_cast<double>(-n_digits));
    return Value::real(std::nearbyint(value / unit) * unit);
  }
  // to_chars writes the exactly rounded decimal, which is what Python's round() is defined by.
  std::array<char, 800> digits{};
  const auto written =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, static_cast<int>(n_digits));
  double rounded = value;
  std::from_chars(digits.data(), written.ptr, rounded);
  return Value::real(rounded);
}

std::optional<std::int64_t> parse_integer(std::string_view text, int base) {
  text = strip_space(text);
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const auto digits = without_underscores(take_prefix(text, base));
  if (!digits || digits->empty() || digits->front() == '-') return std::nullopt;
  const std::string with_sign = (negative ? "-" : "") + *digits;
  std::int64_t value = 0;
  const auto read = std::from_chars(with_sign.data(), with_sign.data() + with_sign.size(), value, base);
  if (read.ec != std::errc() || read.ptr != with_sign.data() + with_sign.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  text = strip_space(text);
  auto digits = without_underscores(text);
  if (!digits || digits->empty()) return std::nullopt;
  if (digits->front() == '+' && digits->find('-') != 1) digits->erase(0, 1);
  const std::string lower = map_case(*digits, CaseMap::kLower);
  double value = 0;
  const auto read = std::from_chars(lower.data(), lower.data() + lower.size(), value);
  if (read.ptr != lower.data() + lower.size() || lower.empty() || lower.find('(') != std::string::npos) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) return lower.find("e-") != std::string::npos ? 0.0 : HUGE_VAL;
  if (read.ec != std::errc()) return std::nullopt;
  return value;
}

Result<std::int64_t> truncate_real(double value) {
  if (std::isnan(value)) return failure("cannot convert float NaN to integer");
  if (std::isinf(value)) return failure("cannot convert float infinity to integer");
  if (value >= kTwoTo63 || value < -kTwoTo63) return too_big();
  return static_cast<std::int64_t>(value);
}

}  // namespace mie::jinja
