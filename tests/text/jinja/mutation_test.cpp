// Damaged templates: the lexer, the parser and the renderer return text or an error, whatever the source. Run under the
// sanitizers this is the memory safety test of the interpreter.
#include "tests/text/jinja/template_case.h"

#include <gtest/gtest.h>

#include <random>

namespace mie {
namespace {

constexpr std::string_view kFragments[] = {"{{",
                                           "}}",
                                           "{%",
                                           "%}",
                                           "{#",
                                           "#}",
                                           "-%}",
                                           "{%-",
                                           "{{-",
                                           "(",
                                           ")",
                                           "[",
                                           "]",
                                           "{",
                                           "}",
                                           "'",
                                           "\"",
                                           "\\",
                                           "|",
                                           ".",
                                           ",",
                                           ":",
                                           " if ",
                                           " else ",
                                           " is ",
                                           " not ",
                                           " in ",
                                           "endfor",
                                           "endif",
                                           "{% for x in y %}",
                                           "{% endfor %}",
                                           "{% raw %}",
                                           "{% set x %}",
                                           "{% macro m() %}",
                                           "**",
                                           "*",
                                           "//",
                                           "~",
                                           "==",
                                           "1e999",
                                           "0x",
                                           "9223372036854775807",
                                           "'\\u12'",
                                           "\xC3",
                                           "\xF0\x9F",
                                           "\0",
                                           "é"};

std::string mutated(std::string source, const std::string& other, std::mt19937& random) {
  const auto below = [&random](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (std::size_t n = 1 + below(4); n > 0; --n) {
    const std::size_t at = below(source.size() + 1);
    switch (below(6)) {
      case 0:
        source.erase(at, 1 + below(8));
        break;
      case 1:
        source.insert(at, kFragments[below(std::size(kFragments))]);
        break;
      case 2:
        source.insert(at, other.substr(below(other.size() + 1), below(24)));
        break;
      case 3:
        if (at < source.size()) source[at] = static_cast<char>(below(256));
        break;
      case 4:
        source = source.substr(at) + source.substr(0, at);
        break;
      default:
        source.insert(at, source.substr(below(source.size() + 1), below(24)));
    }
  }
  return source;
}

bool is_utf8_boundary(const std::string& text, std::size_t at) {
  return at == text.size() || (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
}

TEST(Mutation, DamagedTemplatesGiveTextOrAnError) {
  const std::vector<test::TemplateCase> cases = test::read_template_cases(MIE_TEST_DATA "/golden/templates/jinja2.jsonl");
  std::mt19937 random(11);
  int n_text = 0, n_syntax = 0, n_render = 0;
  for (int round = 0; round < 20'000; ++round) {
    test::TemplateCase damaged = cases[random() % cases.size()];
    damaged.source = mutated(damaged.source, cases[random() % cases.size()].source, random);
    const Result<RenderedPrompt> rendered = test::render(damaged);
    if (rendered.has_value()) {
      ++n_text;
      std::size_t end = 0;
      for (const ByteRange& range : rendered->literal) {
        ASSERT_TRUE(end <= range.begin && range.begin < range.end && range.end <= rendered->text.size());
        ASSERT_TRUE(is_utf8_boundary(rendered->text, range.begin)) << damaged.source;
        end = range.end;
      }
      continue;
    }
    const Error error = rendered.error();
    ASSERT_TRUE(error.code == Errc::kModelFormat || error.code == Errc::kTemplateError || error.code == Errc::kTemplateLimit);
    ++(error.code == Errc::kModelFormat ? n_syntax : n_render);
  }
  EXPECT_GT(n_text, 1000);
  EXPECT_GT(n_syntax, 1000);
  EXPECT_GT(n_render, 500);
}

}  // namespace
}  // namespace mie
