#include "server/json/fault_finder.h"

#include "server/json/request_parse.h"

#include <array>
#include <charconv>
#include <optional>

namespace mie::json {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class FaultFinder {
 public:
  explicit FaultFinder(std::string_view body) : body_(body) {}

  Result<RewrittenIntegers> run() {
    skip_space();
    if (at_ == body_.size()) return not_json("it is empty", at_);
    if (body_[at_] != '{') return not_json("it does not begin with '{'", at_);
    if (auto fault = value("", 0)) return *fault;
    skip_space();
    if (at_ != body_.size()) return not_json("bytes after the end", at_);
    rewritten_.text.append(body_.substr(copied_));
    return std::move(rewritten_);
  }

 private:
  using Fault = std::optional<Error>;

  void skip_space() {
    while (at_ < body_.size() && (body_[at_] == ' ' || body_[at_] == '\t' || body_[at_] == '\n' || body_[at_] == '\r')) ++at_;
  }
  [[nodiscard]] char peek() const { return at_ < body_.size() ? body_[at_] : '\0'; }

  Fault value(const std::string& path, int depth) {
    if (at_ == body_.size()) return not_json("it ends early", at_);
    switch (body_[at_]) {
      case '{':
        return object(path, depth + 1);
      case '[':
        return array(path, depth + 1);
      case '"':
        return string(path);
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number(path);
    }
  }

  Fault word(std::string_view expected) {
    if (body_.substr(at_, expected.size()) != expected) return not_json("unknown word", at_);
    at_ += expected.size();
    return {};
  }

  static Error too_deep(const std::string& path) {
    return {Errc::kTooDeep, "request body nests deeper than " + std::to_string(kMaxDepth) + " levels", path};
  }

  Fault object(const std::string& path, int depth) {
    if (depth > kMaxDepth) return too_deep(path);
    ++at_;
    skip_space();
    if (peek() == '}') return ++at_, Fault{};
    for (;;) {
      const std::size_t key_at = at_;
      if (peek() != '"') return not_json("expected a key", at_);
      if (auto fault = string(path)) return fault;
      const auto key = body_.substr(key_at + 1, at_ - key_at - 2);  // as written; escapes only blur a path
      skip_space();
      if (peek() != ':') return not_json("expected ':'", at_);
      ++at_;
      skip_space();
      if (auto fault = value(member_path(path, key), depth)) return fault;
      skip_space();
      if (peek() == '}') return ++at_, Fault{};
      if (peek() != ',') return not_json("expected ',' or '}'", at_);
      ++at_;
      skip_space();
    }
  }

  Fault array(const std::string& path, int depth) {
    if (depth > kMaxDepth) return too_deep(path);
    ++at_;
    skip_space();
    if (peek() == ']') return ++at_, Fault{};
    for (std::size_t index = 0;; ++index) {
      if (auto fault = value(item_path(path, index), depth)) return fault;
      skip_space();
      if (peek() == ']') return ++at_, Fault{};
      if (peek() != ',') return not_json("expected ',' or ']'", at_);
      ++at_;
      skip_space();
    }
  }

  Fault string(const std::string& path) {
    const std::size_t start = at_++;
    for (;;) {
      if (at_ >= body_.size()) return not_json("a string is not closed", start);
      const auto c = static_cast<unsigned char>(body_[at_]);
      if (c == '"') return ++at_, Fault{};
      if (c < 0x20) return not_json("a control character in a string", at_);
      if (c == '\\') {
        if (auto fault = escape(path)) return fault;
      } else {
        ++at_;
      }
    }
  }

  Fault escape(const std::string& path) {
    const std::size_t start = at_++;
    const char kind = peek();
    if (kind != 'u') {
      if (kind == '\0' || std::string_view("\"\\/bfnrt").find(kind) == std::string_view::npos) {
        return not_json("unknown escape", start);
      }
      ++at_;
      return {};
    }
    const auto first = code_unit();
    if (!first) return not_json("bad \\u escape", start);
    if (*first < 0xD800 || *first > 0xDFFF) return {};
    const bool paired = *first <= 0xDBFF && body_.substr(at_, 2) == "\\u";
    if (paired) {
      ++at_;
      const auto second = code_unit();
      if (!second) return not_json("bad \\u escape", at_);
      if (*second >= 0xDC00 && *second <= 0xDFFF) return {};
    }
    return Error{Errc::kInvalidUtf8, "request body has a lone surrogate at byte " + std::to_string(start), path};
  }

  // The four digits after `\`, standing on the 'u'.
  std::optional<unsigned> code_unit() {
    const auto digits = body_.substr(std::min(at_ + 1, body_.size()), 4);
    unsigned code = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || read.ec != std::errc{} || read.ptr != digits.data() + 4) return {};
    at_ += 5;
    return code;
  }

  // int frac? exp? as RFC 8259 has it; returns its length, 0 if there is none. `integer`: no fraction, no exponent.
  [[nodiscard]] std::size_t number_length(bool& integer) const {
    std::size_t i = at_;
    const auto digits = [&] {
      const std::size_t from = i;
      while (i < body_.size() && is_digit(body_[i])) ++i;
      return i - from;
    };
    if (i < body_.size() && body_[i] == '-') ++i;
    const std::size_t first = i;
    const std::size_t n_whole = digits();
    if (n_whole == 0 || (n_whole > 1 && body_[first] == '0')) return 0;
    integer = true;
    if (i < body_.size() && body_[i] == '.') {
      integer = false;
      ++i;
      if (digits() == 0) return 0;
    }
    if (i < body_.size() && (body_[i] == 'e' || body_[i] == 'E')) {
      integer = false;
      ++i;
      if (i < body_.size() && (body_[i] == '+' || body_[i] == '-')) ++i;
      if (digits() == 0) return 0;
    }
    return i - at_;
  }

  // Of a number that no double holds: too small, not too large.
  static bool underflows(std::string_view number) {
    const auto digits = number.substr(number.front() == '-' ? 1 : 0);
    return digits.front() == '0' || number.find("e-") != std::string_view::npos || number.find("E-") != std::string_view::npos;
  }

  Fault number(const std::string& path) {
    bool integer = false;
    const std::size_t length = number_length(integer);
    if (length == 0) return not_json("unexpected character", at_);
    const auto text = body_.substr(at_, length);
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec == std::errc::result_out_of_range && !underflows(text)) {
      return Error{Errc::kInvalidValue, path + " must be a finite number", path};
    }
    std::int64_t whole = 0;
    std::uint64_t natural = 0;
    if (integer && std::from_chars(text.data(), text.data() + length, whole).ec != std::errc{} &&
        std::from_chars(text.data(), text.data() + length, natural).ec != std::errc{}) {
      rewrite(length, value);
      rewritten_.paths.push_back(path);
    }
    at_ += length;
    return {};
  }

  void rewrite(std::size_t length, double value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::scientific);
    rewritten_.text.append(body_.substr(copied_, at_ - copied_));
    rewritten_.text.append(digits.data(), end.ptr);
    copied_ = at_ + length;
  }

  std::string_view body_;
  std::size_t at_ = 0;
  std::size_t copied_ = 0;
  RewrittenIntegers rewritten_;
};

}  // namespace

Result<RewrittenIntegers> find_fault(std::string_view body) { return FaultFinder(body).run(); }

}  // namespace mie::json
