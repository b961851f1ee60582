#include "core/text/jinja/printf_format.h"

#include "core/text/jinja/dict.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/number.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/python_format.h"
#include "core/text/jinja/string_ops.h"
#include "core/text/jinja/try.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>

namespace mie::jinja {
namespace {

constexpr std::int64_t kMostWidth = 100'000;  // characters; padding beyond is no use and costs memory
constexpr std::int64_t kMostPrecision = 100;  // digits after the point

struct Conversion {
  bool left = false, zero = false, plus = false, space = false, alternate = false;
  std::int64_t width = 0;
  std::int64_t precision = -1;  // -1: none given
  char letter = 0;
};

class Formatter {
 public:
  Formatter(Runtime& runtime, const MarkedString& format, const Value& values)
      : runtime_(runtime), format_(format), text_(format.text()), values_(values) {}
  Result<MarkedString> run();

 private:
  Result<void> convert();
  Result<Conversion> parse();
  Result<std::int64_t> number(std::int64_t most);
  Result<Value> next_value();
  Result<MarkedString> body(const Conversion& conversion, const Value& value);
  Result<void> append_padded(const Conversion& conversion, const MarkedString& body);

  Runtime& runtime_;
  const MarkedString& format_;
  const std::string& text_;
  const Value& values_;
  std::optional<Value> named_;
  std::size_t at_ = 0, n_taken_ = 0;
  MarkedString out_;
};

bool is_numeric_letter(char letter) { return letter != 's' && letter != 'r'; }

Result<std::int64_t> Formatter::number(std::int64_t most) {
  std::int64_t value = 0;
  for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
    value = value * 10 + (text_[at_] - '0');
    if (value > most) return failure("width or precision too big");
  }
  return value;
}

Result<Conversion> Formatter::parse() {
  Conversion conversion;
  if (at_ < text_.size() && text_[at_] == '(') {
    const std::size_t end = text_.find(')', at_);
    if (end == std::string::npos) return failure("incomplete format key");
    if (!values_.is(Kind::kDict)) return failure("format requires a mapping");
    const std::string key = text_.substr(at_ + 1, end - at_ - 1);
    const Value* found = values_.as_dict().find(key);
    if (found == nullptr) return failure(quoted(key));
    named_ = *found;
    at_ = end + 1;
  }
  for (bool flag = true; flag && at_ < text_.size(); at_ += flag ? 1 : 0) switch (text_[at_]) {
      case '-':
        conversion.left = true;
        break;
      case '0':
        conversion.zero = true;
        break;
      case '+':
        conversion.plus = true;
        break;
      case ' ':
        conversion.space = true;
        break;
      case '#':
        conversion.alternate = true;
        break;
      default:
        flag = false;
    }
  MIE_TRY(conversion.width, number(kMostWidth));
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    MIE_TRY(conversion.precision, number(kMostWidth));
  }
  if (at_ == text_.size()) return failure("incomplete format");
  conversion.letter = text_[at_++];
  return conversion;
}

Result<Value> Formatter::next_value() {
  if (named_) return *std::exchange(named_, std::nullopt);
  const std::size_t i = n_taken_++;
  if (!values_.is(Kind::kTuple)) {
    if (i > 0) return failure("not enough arguments for format string");
    return values_;
  }
  if (i >= values_.as_items().size()) return failure("not enough arguments for format string");
  return values_.as_items()[i];
}

Result<std::string> integer_digits(const Conversion& conversion, const Value& value) {
  std::int64_t integer = 0;
  if (const auto whole = integral(value)) {
    integer = *whole;
  } else if (value.is(Kind::kReal) && conversion.letter == 'd') {
    MIE_TRY(integer, truncate_real(value.as_real()));
  } else if (value.is(Kind::kUndefined)) {
    return failure(value.explanation());
  } else {
    return failure(std::string("%") + conversion.letter + " format: " +
                   (conversion.letter == 'd' ? "a real number is required, not " : "an integer is required, not ") +
                   type_name(value));
  }
  const int base = conversion.letter == 'd' ? 10 : conversion.letter == 'o' ? 8 : 16;
  std::array<char, 72> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), integer, base);
  std::string text(digits.data(), written.ptr);
  if (conversion.letter == 'X') text = map_case(text, CaseMap::kUpper);
  if (conversion.alternate && base != 10) text.insert(text.front() == '-' ? 1 : 0, std::string("0") + conversion.letter);
  return text;
}

Result<std::string> real_digits(const Conversion& conversion, const Value& value) {
  if (value.is(Kind::kUndefined)) return failure(value.explanation());
  if (!is_number(value)) return failure("must be real number, not " + type_name(value));
  const int precision = static_cast<int>(std::min(conversion.precision < 0 ? 6 : conversion.precision, kMostPrecision));
  const char pattern[] = {'%', '.', '*', conversion.letter, '\0'};
  std::array<char, 512> digits{};
  const int n = std::snprintf(digits.data(), digits.size(), pattern, precision, to_real(value));
  return std::string(digits.data(), static_cast<std::size_t>(n));
}

Result<MarkedString> Formatter::body(const Conversion& conversion, const Value& value) {
  if (!is_numeric_letter(conversion.letter)) {
    MIE_TRY(MarkedString text, conversion.letter == 's' ? to_text(runtime_, value) : repr(runtime_, value));
    if (conversion.precision >= 0)
      text.truncate(byte_of_character(text.text(), static_cast<std::size_t>(conversion.precision)));
    return text;
  }
  Conversion plain = conversion;
  if (plain.letter == 'i' || plain.letter == 'u') plain.letter = 'd';
  const bool whole = plain.letter == 'd' || plain.letter == 'x' || plain.letter == 'X' || plain.letter == 'o';
  MIE_TRY(std::string digits, whole ? integer_digits(plain, value) : real_digits(plain, value));
  if (digits.front() != '-' && (plain.plus || plain.space)) digits.insert(0, plain.plus ? "+" : " ");
  const auto width = static_cast<std::size_t>(plain.width);
  if (plain.zero && !plain.left && digits.size() < width) {
    const bool signed_digits = digits.front() == '-' || digits.front() == '+' || digits.front() == ' ';
    digits.insert(signed_digits ? 1 : 0, width - digits.size(), '0');
  }
  return MarkedString(std::move(digits), Origin::kTemplate);
}

Result<void> Formatter::append_padded(const Conversion& conversion, const MarkedString& body) {
  const Side side = conversion.left ? Side::kRight : Side::kLeft;
  MIE_TRY(const MarkedString padded, pad(runtime_, body, conversion.width, MarkedString(" ", Origin::kTemplate), side));
  MIE_CHECK(runtime_.text(padded.size(), out_.size()));
  out_.append(padded);
  return {};
}

Result<void> Formatter::convert() {
  MIE_TRY(const Conversion conversion, parse());
  if (conversion.letter == '%') {
    out_.append("%");
    return {};
  }
  if (std::string_view("srdiufFeEgGxXo").find(conversion.letter) == std::string_view::npos)
    return failure("unsupported format character " + quoted(std::string(1, conversion.letter)));
  MIE_TRY(const Value value, next_value());
  MIE_TRY(const MarkedString text, body(conversion, value));
  return append_padded(conversion, text);
}

Result<MarkedString> Formatter::run() {
  while (at_ < text_.size()) {
    const std::size_t percent = std::min(text_.find('%', at_), text_.size());
    MIE_CHECK(runtime_.text(percent - at_, out_.size()));
    out_.append(format_, at_, percent);
    at_ = percent + 1;
    if (percent == text_.size()) break;
    MIE_CHECK(runtime_.step());
    MIE_CHECK(convert());
  }
  const bool all_taken = values_.is(Kind::kTuple) ? n_taken_ >= values_.as_items().size()
                                                  : n_taken_ > 0 || values_.is(Kind::kDict) || values_.is(Kind::kList);
  if (!all_taken) return failure("not all arguments converted during string formatting");
  return std::move(out_);
}

}  // namespace

Result<MarkedString> printf_format(Runtime& runtime, const MarkedString& format, const Value& values) {
  return Formatter(runtime, format, values).run();
}

}  // namespace mie::jinja
