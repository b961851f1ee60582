#include "core/text/jinja/template.h"

#include <gtest/gtest.h>

#include <chrono>

namespace mie::jinja {
namespace {

using namespace std::chrono_literals;

Result<MarkedString> render(std::string_view source, const RenderLimits& limits = {}, const Variables& variables = {}) {
  const ManualClock clock;  // stands still: the other budgets decide, on any machine
  Runtime runtime(limits, clock, 0);
  const Result<Template> parsed = Template::parse(source);
  if (parsed.has_error()) return parsed.error();
  return parsed->render(variables, runtime);
}

void expect_limit(std::string_view source) {
  const auto begin = std::chrono::steady_clock::now();
  RenderLimits limits;
  limits.n_steps = 100'000;  // a tenth of the real budget, which the sanitizers would take minutes to use up
  const Result<MarkedString> rendered = render(source, limits);
  ASSERT_TRUE(rendered.has_error()) << source << " gave " << rendered->size() << " bytes";
  EXPECT_EQ(rendered.error().code, Errc::kTemplateLimit) << source << ": " << rendered.error().message;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 15s) << source;
}

TEST(TemplateLimits, LoopsWithoutEndRunOutOfSteps) {
  expect_limit("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}");
  expect_limit("{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = ns.l + ns.l %}{% endfor %}");
  expect_limit("{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}");
  expect_limit(
      "{% set ns = namespace(l=1) %}{% for i in range(60) %}{% set ns.l = (ns.l, ns.l) %}{% endfor %}{{ ns.l == (ns.l, 1) }}{{ "
      "ns.l|tojson }}");
}

TEST(TemplateLimits, LongTextsAreRefusedBeforeTheyAreMade) {
  expect_limit("{{ 'x' * 1000000 * 1000000 }}");
  expect_limit("{{ 'x' * 9223372036854775807 }}");
  expect_limit("{{ 'xy' * 9223372036854775807 }}");
  expect_limit("{{ [1] * 9223372036854775807 }}");
  expect_limit("{% set a = 'x' * 4000000 %}{{ a }}{{ a }}");
  expect_limit("{% set a = 'x' * 4000000 %}{{ a.replace('x', a) }}");
  expect_limit("{% set a = 'x' * 4000000 %}{{ [a, a]|join }}");
  expect_limit("{% set a = 'x' * 4000000 %}{{ a ~ a }}");
  expect_limit("{% set a = 'x' * 4000000 %}{{ '%s%s' % (a, a) }}");
  expect_limit("{% set a = 'x' * 4000000 %}{{ '{0}{0}'.format(a) }}");
  expect_limit("{{ 'x'|center(9000000) }}");
  expect_limit("{{ 'x'.ljust(9223372036854775807) }}");
  expect_limit("{{ 'a\nb'|indent(9000000) }}");
  expect_limit("{{ [1]|tojson(indent=9000000) }}");
  expect_limit("{% set a = 'x' * 4000000 %}{{ [a, a]|tojson }}");
  expect_limit("{% set a = 'x' * 4000000 %}{{ [a, a] }}");
  expect_limit("{{ ('x' * 4000000).split('x') }}");
  expect_limit("{{ ('x ' * 2000000).split() }}");
  expect_limit("{{ ('\n' * 4000000).splitlines() }}");
  expect_limit("{{ ('x' * 4000000)|list }}");
  expect_limit("{{ [1]|batch(9223372036854775807, 0)|list }}");
}

TEST(TemplateLimits, AllTextsTogetherAreBounded) {
  expect_limit("{% for i in range(1000) %}{% set x = 'x' * 4000000 %}{% endfor %}");
}

TEST(TemplateLimits, RecursionIsBounded) {
  expect_limit("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}");
  expect_limit(
      "{% macro f(n) %}{% if n %}{% for i in [1] %}{{ [[f(n)]]|first }}{% endfor %}{% endif %}{% endmacro %}{{ f(1) }}");
  expect_limit("{% set ns = namespace() %}{% set ns.me = ns %}{{ ns }}");
  expect_limit("{% set ns = namespace(l=[]) %}{% for i in range(1000) %}{% set ns.l = [ns.l] %}{% endfor %}");
}

TEST(TemplateLimits, SixtyCallsDeepAreAllowed) {
  const auto rendered = render("{% macro f(n) %}{% if n > 0 %}({{ f(n - 1) }}){% endif %}{% endmacro %}{{ f(60) }}");
  ASSERT_TRUE(rendered.has_value()) << rendered.error().message;
  EXPECT_EQ(rendered->text(), std::string(60, '(') + std::string(60, ')'));
}

TEST(TemplateLimits, DeepSourceIsRefused) {
  for (const auto& [open, close] : {std::pair{"(", ")"}, {"[", "]"}, {"-", ""}, {"not ", ""}, {"{1:", "}"}, {"x[", "]"}}) {
    std::string source = "{{ ";
    for (int i = 0; i < 20'000; ++i) source += open;
    source += "1";
    for (int i = 0; i < 20'000; ++i) source += close;
    const auto rendered = render(source + " }}");
    ASSERT_TRUE(rendered.has_error()) << open;
    EXPECT_EQ(rendered.error().code, Errc::kModelFormat) << rendered.error().message;
  }
  std::string blocks, conditions = "{{ 1";
  for (int i = 0; i < 20'000; ++i) blocks += "{% if 1 %}";
  for (int i = 0; i < 20'000; ++i) conditions += " if 1";
  EXPECT_EQ(render(blocks).error().code, Errc::kModelFormat);
  EXPECT_EQ(render(conditions + " }}").error().code, Errc::kModelFormat);
}

TEST(TemplateLimits, LongFlatSourceIsFine) {
  std::string sum = "{{ 0", chain = "{{ 'x'", elifs = "{% if 0 %}";
  for (int i = 0; i < 20'000; ++i) sum += " + 1";
  for (int i = 0; i < 2'000; ++i) chain += "|upper";
  for (int i = 0; i < 2'000; ++i) elifs += "{% elif 0 %}";
  for (const auto& [source, wanted] :
       {std::pair{sum + " }}", "20000"}, {chain + " }}", "X"}, {elifs + "{% else %}y{% endif %}", "y"}}) {
    const auto rendered = render(source);
    ASSERT_TRUE(rendered.has_value()) << rendered.error().message;
    EXPECT_EQ(rendered->text(), wanted);
  }
}

TEST(TemplateLimits, StepsAreCounted) {
  RenderLimits limits;
  limits.n_steps = 1000;
  EXPECT_TRUE(render("{% for i in range(100) %}x{% endfor %}", limits).has_value());
  EXPECT_EQ(render("{% for i in range(1000) %}x{% endfor %}", limits).error().code, Errc::kTemplateLimit);
}

// A clock that moves on by a millisecond each time it is read.
class RunningClock final : public Clock {
 public:
  [[nodiscard]] time_point now() const override { return time_point(std::chrono::milliseconds(++n_reads_)); }
  [[nodiscard]] std::int64_t unix_seconds() const override { return 0; }

 private:
  mutable std::int64_t n_reads_ = 0;
};

TEST(TemplateLimits, TimeIsTakenFromTheClock) {
  const Result<Template> parsed = Template::parse("{% for i in range(90000) %}{{ i }}{% endfor %}");
  const RunningClock running;
  Runtime slow(RenderLimits{}, running, 0);
  const auto rendered = parsed->render({}, slow);
  ASSERT_TRUE(rendered.has_error());
  EXPECT_EQ(rendered.error().message, "the chat template takes longer than 250 ms");
  const ManualClock still;
  Runtime fast(RenderLimits{}, still, 0);
  EXPECT_TRUE(parsed->render({}, fast).has_value());
}

}  // namespace
}  // namespace mie::jinja
