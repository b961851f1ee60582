#include "core/text/jinja/lexer.h"

#include "core/text/jinja/failure.h"
#include "core/text/jinja/lexer_literals.h"
#include "core/text/jinja/try.h"
#include "core/text/jinja/unicode.h"

#include <algorithm>
#include <array>
#include <string>

namespace mie::jinja {
namespace {

constexpr std::array<std::string_view, 26> kOperators{"//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
                                                      "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};

// "\r\n" and "\r" become "\n"; one newline at the very end is dropped.
std::string normalized(std::string_view source) {
  std::string text;
  text.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r')
      text += source[i];
    else if (i + 1 == source.size() || source[i + 1] != '\n')
      text += '\n';
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

bool space_from(std::string_view text, std::size_t at) {
  return is_space(code_point(text.substr(at, next_character(text, at) - at)));
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && space_from(text, at)) at = next_character(text, at);
  return at;
}

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(normalized(source)), text_(source_) {}
  Result<std::vector<Token>> run();

 private:
  enum class Tag { kBlock, kVariable };

  Result<void> lex_tag(Tag tag);
  Result<void> lex_token();
  Result<void> lex_comment();
  Result<bool> lex_raw(std::size_t text_end, char sign);
  bool take_end(Tag tag);
  Result<void> balance(char bracket);
  void add_text(std::size_t end, char sign, bool may_strip_indent);
  void add(TokenType type, std::string_view text = {}) { tokens_.push_back(Token{type, line_, std::string(text)}); }
  void move_to(std::size_t at);
  // Moves behind "-%}" and white space, "+%}", or "%}" and (with trim) one newline. False if none of them stands at `at`.
  bool take_closing(std::size_t at, std::string_view closing, bool trim);
  [[nodiscard]] Error error(const std::string& reason) const { return syntax_error(line_, reason); }

  std::string source_;
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_starting_ = true;  // the last thing lexed ended with a newline
  std::string brackets_;       // closing ones that are owed
  std::vector<Token> tokens_;
};

void Lexer::move_to(std::size_t at) {
  line_ += static_cast<int>(
      std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  if (at > at_) line_starting_ = text_[at - 1] == '\n';
  at_ = at;
}

bool Lexer::take_closing(std::size_t at, std::string_view closing, bool trim) {
  const char sign = at < text_.size() && (text_[at] == '-' || text_[at] == '+') ? text_[at] : '\0';
  if (sign != '\0') ++at;
  if (text_.substr(at, closing.size()) != closing) return false;
  at += closing.size();
  if (sign == '-') at = skip_space(text_, at);
  if (sign == '\0' && trim && at < text_.size() && text_[at] == '\n') ++at;
  move_to(at);
  return true;
}

// Text from here to `end`, where a tag with `sign` begins.
void Lexer::add_text(std::size_t end, char sign, bool may_strip_indent) {
  std::string_view text = text_.substr(at_, end - at_);
  if (sign == '-') {
    while (!text.empty() && space_from(text, previous_character(text, text.size())))
      text = text.substr(0, previous_character(text, text.size()));
  } else if (sign != '+' && may_strip_indent) {
    const std::size_t newline = text.rfind('\n');
    const std::size_t indent = newline == std::string_view::npos ? 0 : newline + 1;
    if ((indent > 0 || line_starting_) && skip_space(text, indent) == text.size()) text = text.substr(0, indent);
  }
  if (!text.empty()) add(TokenType::kText, text);
  move_to(end);
}

// {% raw %} … {% endraw %}, if that stands at text_end; false if it is another tag.
Result<bool> Lexer::lex_raw(std::size_t text_end, char sign) {
  std::size_t at = skip_space(text_, text_end + 2 + (sign == '\0' ? 0 : 1));
  if (text_.substr(at, 3) != "raw") return false;
  at = skip_space(text_, at + 3);
  const bool closes = text_.substr(at, 2) == "%}" || text_.substr(at, 3) == "-%}";
  if (!closes) return false;
  add_text(text_end, sign, /*may_strip_indent=*/true);
  take_closing(at, "%}", /*trim=*/false);
  for (std::size_t begin = text_.find("{%", at_); begin != std::string_view::npos; begin = text_.find("{%", begin + 1)) {
    std::size_t inside = begin + 2;
    const char end_sign = inside < text_.size() && (text_[inside] == '-' || text_[inside] == '+') ? text_[inside] : '\0';
    inside = skip_space(text_, inside + (end_sign == '\0' ? 0 : 1));
    if (text_.substr(inside, 6) != "endraw") continue;
    inside = skip_space(text_, inside + 6);
    if (text_.substr(inside, 2) != "%}" && text_.substr(inside, 3) != "-%}" && text_.substr(inside, 3) != "+%}") continue;
    add_text(begin, end_sign, /*may_strip_indent=*/true);
    take_closing(inside, "%}", /*trim=*/true);
    return true;
  }
  return error("Missing end of raw directive");
}

Result<void> Lexer::lex_comment() {
  const std::size_t closing = text_.find("#}", at_);
  if (closing == std::string_view::npos) return error("Missing end of comment tag");
  const bool has_sign = closing > at_ && (text_[closing - 1] == '-' || text_[closing - 1] == '+');
  take_closing(has_sign ? closing - 1 : closing, "#}", /*trim=*/true);
  return {};
}

bool Lexer::take_end(Tag tag) {
  if (!brackets_.empty()) return false;
  if (tag == Tag::kVariable && text_.substr(at_, 1) == "+") return false;
  const int line = line_;
  if (!take_closing(at_, tag == Tag::kBlock ? "%}" : "}}", tag == Tag::kBlock)) return false;
  tokens_.push_back(Token{tag == Tag::kBlock ? TokenType::kBlockEnd : TokenType::kVariableEnd, line});
  return true;
}

Result<void> Lexer::balance(char bracket) {
  constexpr std::string_view kOpening = "([{", kClosing = ")]}";
  if (const std::size_t i = kOpening.find(bracket); i != std::string_view::npos) brackets_ += kClosing[i];
  if (kClosing.find(bracket) == std::string_view::npos) return {};
  if (brackets_.empty()) return error(std::string("unexpected '") + bracket + "'");
  if (brackets_.back() != bracket)
    return error(std::string("unexpected '") + bracket + "', expected '" + brackets_.back() + "'");
  brackets_.pop_back();
  return {};
}

Result<void> Lexer::lex_token() {
  const char c = text_[at_];
  const std::string_view rest = text_.substr(at_);
  if (c >= '0' && c <= '9') {
    auto literal = read_number(rest, at_ > 0 && text_[at_ - 1] == '.');
    if (!literal) return error("number out of range");
    literal->token.line = line_;
    tokens_.push_back(literal->token);
    move_to(at_ + literal->n_bytes);
    return {};
  }
  if (is_name_byte(c)) {
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_name_byte);
    add(TokenType::kName, rest.substr(0, static_cast<std::size_t>(end - rest.begin())));
    move_to(at_ + tokens_.back().text.size());
    return {};
  }
  const std::size_t n_quoted = c == '\'' || c == '"' ? quoted_length(rest) : 0;
  if (n_quoted != 0) {
    const auto meant = unescape(rest.substr(1, n_quoted - 2));
    if (!meant) return error("broken escape in a string");
    add(TokenType::kString, *meant);
    move_to(at_ + n_quoted);
    return {};
  }
  for (const std::string_view op : kOperators) {
    if (!rest.starts_with(op)) continue;
    if (op.size() == 1) MIE_CHECK(balance(op[0]));
    add(TokenType::kOperator, op);
    move_to(at_ + op.size());
    return {};
  }
  return error("unexpected char " + quoted(rest.substr(0, next_character(rest, 0))));
}

Result<void> Lexer::lex_tag(Tag tag) {
  while (at_ < text_.size()) {
    if (take_end(tag)) return {};
    if (space_from(text_, at_))
      move_to(skip_space(text_, at_));
    else
      MIE_CHECK(lex_token());
  }
  return {};  // the parser will miss the end
}

Result<std::vector<Token>> Lexer::run() {
  while (at_ < text_.size()) {
    std::size_t begin = text_.find('{', at_);
    while (begin != std::string_view::npos && begin + 1 < text_.size() && text_[begin + 1] != '{' && text_[begin + 1] != '%' &&
           text_[begin + 1] != '#')
      begin = text_.find('{', begin + 1);
    if (begin == std::string_view::npos || begin + 1 >= text_.size()) {
      add_text(text_.size(), '+', /*may_strip_indent=*/false);
      break;
    }
    const char kind = text_[begin + 1];
    const char after = begin + 2 < text_.size() ? text_[begin + 2] : '\0';
    const char sign = after == '-' || after == '+' ? after : '\0';
    if (kind == '%') {
      MIE_TRY(const bool was_raw, lex_raw(begin, sign));
      if (was_raw) continue;
    }
    add_text(begin, sign, /*may_strip_indent=*/kind != '{');
    if (kind == '%') add(TokenType::kBlockBegin);
    if (kind == '{') add(TokenType::kVariableBegin);
    move_to(begin + 2 + (sign == '\0' ? 0 : 1));
    if (kind == '#')
      MIE_CHECK(lex_comment());
    else
      MIE_CHECK(lex_tag(kind == '%' ? Tag::kBlock : Tag::kVariable));
  }
  add(TokenType::kEnd);
  return std::move(tokens_);
}

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view source) { return Lexer(source).run(); }

}  // namespace mie::jinja
