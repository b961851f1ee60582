#include "core/text/pretokenizer.h"

#include "core/base/ensure.h"
#include "core/text/quoted_name.h"
#include "core/text/unicode_classes.h"
#include "core/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace mie {
namespace {

// One call of pcre2_match stays far below both on any text: the expressions of the table never backtrack over more than
// one character class.
constexpr std::uint32_t kMatchLimit = 10'000'000;
constexpr std::uint32_t kDepthLimit = 10'000;

std::string one_of(std::initializer_list<std::string_view> fragments) {
  std::string set = "[";
  for (const std::string_view fragment : fragments) set += fragment;
  return set + "]";
}

// Every numeric character alone: "12½" is three matches.
std::string each_number() { return one_of({unicode::kNumbers, unicode::kNumbersOfUnicode17}); }

// The expression that GPT-2 was trained with: English contractions, runs of letters, of numbers and of other characters
// with one space before them, and white space up to the last blank before a word.
std::string gpt2_words() {
  const std::string letter = one_of({unicode::kLetters});
  const std::string number = one_of({unicode::kNumbers});
  const std::string space = one_of({unicode::kWhiteSpace});
  const std::string no_space = one_of({"^", unicode::kWhiteSpace});
  const std::string other = one_of({"^", unicode::kWhiteSpace, unicode::kLetters, unicode::kNumbers});
  return "'s|'t|'re|'ve|'m|'ll|'d| ?" + letter + "+| ?" + number + "+| ?" + other + "+|" + space + "+(?!" + no_space + ")|" +
         space + "+";
}

struct Row {
  std::string_view name;
  std::vector<std::string> expressions;
};

std::vector<Row> table() {
  return {
      {"smollm", {each_number(), gpt2_words()}},
  };
}

struct FreePcre2 {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};
using Code = std::unique_ptr<pcre2_code, FreePcre2>;
using MatchContext = std::unique_ptr<pcre2_match_context, FreePcre2>;
using MatchState = std::unique_ptr<pcre2_match_data, FreePcre2>;

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

// Interpreted, never JIT-compiled: a hardened server may not map memory that is both writable and executable.
Code compile(const std::string& expression) {
  int error = 0;
  std::size_t offset = 0;
  Code code(pcre2_compile(units(expression), expression.size(), PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr));
  ENSURE(code != nullptr,
         "expression of the pre-tokenizer table, error " + std::to_string(error) + " at " + std::to_string(offset));
  return code;
}

}  // namespace

struct Pretokenizer::Compiled {
  std::vector<Code> expressions;
  MatchContext context;

  // REQUIRES: text is well-formed UTF-8; PCRE2 does not look again, which would make every match cost the whole text.
  void isolate(const Code& code, std::string_view text, pcre2_match_data* match, std::vector<std::string_view>& out) const {
    std::size_t begin = 0;
    while (begin < text.size()) {
      const int rc = pcre2_match(code.get(), units(text), text.size(), begin, PCRE2_NO_UTF_CHECK, match, context.get());
      if (rc == PCRE2_ERROR_NOMATCH) break;
      ENSURE(rc > 0, "pre-tokenizer's match failed with PCRE2 error " + std::to_string(rc));
      const std::size_t* at = pcre2_get_ovector_pointer(match);
      ENSURE(at[1] > begin, "pre-tokenizer's match is empty");
      if (at[0] > begin) out.push_back(text.substr(begin, at[0] - begin));
      out.push_back(text.substr(at[0], at[1] - at[0]));
      begin = at[1];
    }
    if (begin < text.size()) out.push_back(text.substr(begin));
  }
};

Pretokenizer::Pretokenizer(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
Pretokenizer::Pretokenizer(Pretokenizer&&) noexcept = default;
Pretokenizer& Pretokenizer::operator=(Pretokenizer&&) noexcept = default;
Pretokenizer::~Pretokenizer() = default;

Result<Pretokenizer> Pretokenizer::make(std::string_view name) {
  const std::vector<Row> rows = table();
  const auto row = std::ranges::find(rows, name, &Row::name);
  if (row == rows.end()) {
    return Error{Errc::kModelFormat, "pre-tokenizer " + quoted_name(name) + " is not supported"};
  }
  auto compiled = std::make_unique<Compiled>();
  for (const std::string& expression : row->expressions) compiled->expressions.push_back(compile(expression));
  compiled->context.reset(pcre2_match_context_create(nullptr));
  ENSURE(compiled->context != nullptr, "no memory for a match context");
  pcre2_set_match_limit(compiled->context.get(), kMatchLimit);
  pcre2_set_depth_limit(compiled->context.get(), kDepthLimit);
  return Pretokenizer(std::move(compiled));
}

std::vector<std::string_view> Pretokenizer::split(std::string_view text) const {
  const MatchState match(pcre2_match_data_create(1, nullptr));
  ENSURE(match != nullptr, "no memory for a match");
  std::vector<std::string_view> out, pieces, cut;
  const auto split_well_formed = [&](std::string_view run) {
    if (run.empty()) return;
    pieces.assign(1, run);
    for (const Code& expression : compiled_->expressions) {
      cut.clear();
      for (const std::string_view piece : pieces) compiled_->isolate(expression, piece, match.get(), cut);
      pieces.swap(cut);
    }
    out.insert(out.end(), pieces.begin(), pieces.end());
  };

  std::size_t run_begin = 0, pos = 0;
  while (pos < text.size()) {
    const Utf8Step step = next_utf8(text.substr(pos));
    if (step.kind == Utf8Kind::kWhole) {
      pos += step.n_bytes;
      continue;
    }
    split_well_formed(text.substr(run_begin, pos - run_begin));
    for (std::size_t i = 0; i < step.n_bytes; ++i) out.push_back(text.substr(pos + i, 1));
    pos += step.n_bytes;
    run_begin = pos;
  }
  split_well_formed(text.substr(run_begin));
  return out;
}

}  // namespace mie
