// What the golden files cannot show, since they hold what jinja2 does: the places where this interpreter is stricter.
#include "core/text/jinja/template.h"

#include <gtest/gtest.h>

namespace mie::jinja {
namespace {

Result<MarkedString> render(std::string_view source, const Variables& variables = {}) {
  const ManualClock clock;
  Runtime runtime(RenderLimits{}, clock, 0);
  const Result<Template> parsed = Template::parse(source);
  if (parsed.has_error()) return parsed.error();
  return parsed->render(variables, runtime);
}

void expect_failure(std::string_view source, Errc code) {
  const Result<MarkedString> rendered = render(source);
  ASSERT_TRUE(rendered.has_error()) << source << " gave " << rendered->text();
  EXPECT_EQ(rendered.error().code, code) << source << ": " << rendered.error().message;
}

TEST(Template, InternalsOfPythonAreErrorsAtOnce) {
  for (const auto* source : {"{{ ''.__class__ }}", "{{ []['__class__'] }}", "{{ {}.__init__ }}", "{{ 5|attr('__class__') }}",
                             "{{ ''.__class__.__mro__[1].__subclasses__() }}", "{{ range.__globals__ }}",
                             "{% macro f() %}{% endmacro %}{{ f.__code__ }}", "{{ ['']|map(attribute='__class__')|list }}",
                             "{{ namespace().__init__ }}", "{{ '{0.__class__}'.format('') }}"})
    expect_failure(source, Errc::kTemplateError);
}

TEST(Template, IntegersBeyond64BitsAreErrors) {
  expect_failure("{{ 9223372036854775807 + 1 }}", Errc::kTemplateError);
  expect_failure("{{ 2 ** 64 }}", Errc::kTemplateError);
  expect_failure("{{ '99999999999999999999'|int }}", Errc::kTemplateError);
  expect_failure("{{ 9223372036854775808 }}", Errc::kModelFormat);
}

TEST(Template, TagsOfPagesAreRefusedByName) {
  for (const std::string tag : {"include 'x'", "extends 'x'", "import 'x' as y", "block b", "autoescape true"}) {
    const Result<MarkedString> rendered = render("a\n{% " + tag + " %}");
    ASSERT_TRUE(rendered.has_error());
    EXPECT_EQ(rendered.error().code, Errc::kModelFormat);
    EXPECT_EQ(rendered.error().message,
              "chat template, line 2: tag '" + tag.substr(0, tag.find(' ')) + "' is not supported in a chat template");
  }
}

TEST(Template, RecursiveLoopsAreRefused) { expect_failure("{% for x in [1] recursive %}{% endfor %}", Errc::kModelFormat); }

TEST(Template, MessagesShowNoMoreThanACutOfAKey) {
  const std::string key(5000, 'k');
  const Result<MarkedString> rendered = render("{{ {}[key].x }}", {{"key", Value::input(key)}});
  ASSERT_TRUE(rendered.has_error());
  EXPECT_EQ(rendered.error().message, "'dict object' has no attribute '" + std::string(64, 'k') + "'");
}

TEST(Template, RaisedWordsAreCutAt1024Characters) {
  const Result<MarkedString> rendered = render("{{ raise_exception('é' * 3000) }}");
  ASSERT_TRUE(rendered.has_error());
  EXPECT_EQ(rendered.error().message.size(), 2048u);  // two bytes a character
}

TEST(Template, TheSameTreeRendersAgain) {
  const ManualClock clock;
  const Result<Template> parsed = Template::parse("{% set ns = namespace(n=0) %}{% set ns.n = ns.n + 1 %}{{ ns.n }}{{ x }}");
  ASSERT_TRUE(parsed.has_value());
  for (const std::int64_t x : {4, 5}) {
    Runtime runtime(RenderLimits{}, clock, 0);
    EXPECT_EQ(parsed->render({{"x", Value::integer(x)}}, runtime)->text(), "1" + std::to_string(x));
  }
}

}  // namespace
}  // namespace mie::jinja
