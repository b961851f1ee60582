// The promise that keeps user text from acting as control tokens: every byte of the output that came from input is marked, and
// no other. Input is written with letters that no template here has, so the output itself says what the marks must be.
#include "core/text/jinja/template.h"

#include <gtest/gtest.h>

#include <random>

namespace mie::jinja {
namespace {

class TemplateWriter {
 public:
  explicit TemplateWriter(std::uint32_t seed) : random_(seed) {}

  std::string source() {
    std::string source;
    for (std::size_t i = 1 + below(4); i > 0; --i) source += statement(2);
    return source;
  }

  // Letters q and Z, and white space, quotes and separators that are not checked.
  Value input() {
    constexpr std::string_view kPieces[] = {"q", "Z", "qZ", "qqq", "Ä", "😀q"};
    std::string text;
    for (std::size_t i = below(5); i > 0; --i) text += kPieces[below(std::size(kPieces))];
    return Value::input(text);
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  template <std::size_t n>
  std::string one_of(const char* const (&choices)[n]) {
    return choices[below(n)];
  }

  std::string text() { return one_of({"a", "b c", "-", "x.y", "<", "  ", "é", "1"}); }

  std::string atom() {
    return one_of({"a", "b", "d.q", "d['q']", "l[0]", "l[-1]", "'m'", "'n-o'", "m(a)", "m('s', b)", "d|first", "ns.v", "i",
                   "missing", "3", "d.keys()|first", "(l|last)", "kw"});
  }

  std::string expression(int depth) {
    if (depth == 0) return atom();
    const std::string inner = "(" + expression(depth - 1) + ")|string";
    switch (below(6)) {
      case 0:
        return "((" + inner + ") ~ (" + expression(depth - 1) + "))";
      case 1:
        return "((" + inner + ") + (" + expression(depth - 1) + ")|string)";
      case 2:
        return "(" + inner + ")" + method();
      case 3:
        return "(" + inner + filter() + ")";
      case 4:
        return sequence(depth - 1);
      default:
        return atom();
    }
  }

  std::string method() {
    return one_of({".upper()",
                   ".lower()",
                   ".title()",
                   ".capitalize()",
                   ".strip()",
                   ".strip('m')",
                   ".replace('m', a)",
                   ".replace(a, 'm')",
                   ".replace('', b)",
                   ".replace(b, '')",
                   ".split(a or 'm')|join('r')",
                   ".split()|join(a)",
                   ".rsplit('m', 1)|last",
                   ".splitlines()|join('/')",
                   "[1:]",
                   "[::-1]",
                   "[:2]",
                   "[0]",
                   ".center(9)",
                   ".ljust(7, '.')",
                   ".partition('m')|join",
                   ".removeprefix('m')",
                   ".join(['s', a])",
                   ".format(a)",
                   ".rpartition(a or 'm')|list",
                   ".zfill",
                   ".split('')",
                   ".rstrip(a)",
                   "[::2]"});
  }

  std::string filter() {
    return one_of({"|upper",
                   "|title",
                   "|capitalize",
                   "|trim",
                   "|replace('m', b)",
                   "|indent(2, true)",
                   "|e",
                   "|tojson",
                   "|list",
                   "|list|tojson(indent=a)",
                   "|reverse",
                   "|list|join(a)",
                   "|truncate(3, true, a, 0)",
                   "|center(7)",
                   "|default(a)",
                   "|list|sort|join",
                   "|list|unique|join",
                   "|first",
                   "|last",
                   "|max",
                   "|list|batch(2)|list",
                   "|string|format",
                   "|map('upper')|join",
                   "|select('in', b)|list",
                   "|safe",
                   "|lower|capitalize",
                   "|trim(a)"});
  }

  std::string sequence(int depth) {
    const std::string inner = expression(depth);
    switch (below(6)) {
      case 0:
        return "[" + inner + ", a]";
      case 1:
        return "{'m': " + inner + ", a: b}|tojson";
      case 2:
        return "{a: " + inner + "}";
      case 3:
        return "('%s|%r|%5s' % (" + inner + ", a, b))";
      case 4:
        return "('{} {!r}'.format(" + inner + ", b))";
      default:
        return "dict(**d)|items|list";
    }
  }

  std::string statement(int depth) {
    const std::string value = expression(static_cast<int>(below(3)));
    if (depth == 0) return "{{ " + value + " }}";
    const std::string body = statement(depth - 1);
    switch (below(9)) {
      case 0:
        return text() + "{{ " + value + " }}" + text();
      case 1:
        return "{% for i in " + value + " %}" + body + "{{ loop.previtem }}{% endfor %}";
      case 2:
        return "{% if " + value + " %}" + body + "{% else %}" + text() + "{% endif %}";
      case 3:
        return "{% set a = " + value + " %}" + body;
      case 4:
        return "{% set b %}" + body + "{% endset %}{{ b }}";
      case 5:
        return "{% filter upper|trim %}" + body + "{% endfilter %}";
      case 6:
        return "{% macro m(x, y=b) %}" + text() + "{{ x }}{{ y }}{% endmacro %}" + body;
      case 7:
        return "{% set ns.v = " + value + " %}" + body;
      default:
        return "{% for k, v in d.items() %}{{ k }}{{ v }}" + body + "{% endfor %}";
    }
  }

  std::mt19937 random_;
};

bool is_input_byte(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte == 'q' || byte == 'Q' || byte == 'z' || byte == 'Z') return true;
  // The bytes of "Ä", "ä" and "😀"; the templates' own "é" is C3 A9.
  const auto next = static_cast<unsigned char>(at + 1 < text.size() ? text[at + 1] : 0);
  if (byte == 0xC3) return next != 0xA9 && next != 0x89;
  const auto previous = static_cast<unsigned char>(at > 0 ? text[at - 1] : 0);
  if (previous == 0xC3) return byte != 0xA9 && byte != 0x89;
  return byte >= 0x80;
}

std::string source_prelude() {
  return "{% set ns = namespace(v='') %}{% set i = 'm' %}{% macro m(x, y='m') %}{{ x }}{{ y }}{% endmacro %}";
}

TEST(Marks, EveryInputByteAndNoOtherIsMarked) {
  // A sanitizer looks at memory, for which fewer templates do.
#if __has_feature(address_sanitizer)
  constexpr int kRounds = 3'500;
#else
  constexpr int kRounds = 14'000;
#endif
  RenderLimits limits;
  limits.n_steps = 20'000;  // many small renders show more than a few large ones
  limits.output_bytes = 4 << 10;
  int n_rendered = 0;
  std::size_t n_input_bytes = 0;
  const ManualClock clock;
  for (int round = 0; round < kRounds; ++round) {
    TemplateWriter writer(static_cast<std::uint32_t>(round));
    const std::string source = source_prelude() + writer.source();
    const Result<Template> parsed = Template::parse(source);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message << "\n" << source;
    const Value dict = Value::dict({{"q", writer.input()}, {"Zq", writer.input()}, {"qZ", Value::list({writer.input()})}});
    Runtime runtime(limits, clock, 0);
    const auto rendered = parsed->render({{"a", writer.input()},
                                          {"b", writer.input()},
                                          {"kw", Value::list({writer.input()})},
                                          {"d", dict},
                                          {"l", Value::list({writer.input(), writer.input()})}},
                                         runtime);
    if (rendered.has_error()) continue;  // e.g. no such method; text of another type
    ++n_rendered;
    const std::string& text = rendered->text();
    for (std::size_t at = 0; at < text.size(); ++at) {
      const bool marked = rendered->origin_at(at) == Origin::kInput;
      const bool from_input = is_input_byte(text, at);
      ASSERT_EQ(marked, from_input) << "byte " << at << " of " << text << "\n" << source;
      n_input_bytes += from_input ? 1 : 0;
    }
  }
  EXPECT_GT(n_rendered, kRounds * 5 / 7);
  EXPECT_GT(n_input_bytes, std::size_t{kRounds} * 25 / 7);
}

}  // namespace
}  // namespace mie::jinja
