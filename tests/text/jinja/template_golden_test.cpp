#include "tests/text/jinja/template_case.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace mie {
namespace {

using test::TemplateCase;

class TemplateGolden : public ::testing::Test {
 protected:
  void SetUp() override {  // strftime_now writes local time
    ASSERT_EQ(setenv("TZ", "UTC", 1), 0);
    tzset();
  }
};

void check_error(const TemplateCase& golden, const Result<RenderedPrompt>& rendered) {
  ASSERT_TRUE(rendered.has_error()) << "rendered: " << rendered->text;
  const Error error = rendered.error();
  if (golden.error == "syntax") {
    EXPECT_EQ(error.code, Errc::kModelFormat) << error.message;
    if (golden.line == 0) return;
    const std::string place = "chat template, line " + std::to_string(golden.line) + ": ";
    EXPECT_EQ(error.message.substr(0, place.size()), place) << error.message;
    return;
  }
  EXPECT_EQ(error.code, Errc::kTemplateError) << error.message;
  EXPECT_EQ(error.message, golden.words);
}

TEST_F(TemplateGolden, EveryCaseEqualsJinja2) {
  const std::vector<TemplateCase> cases = test::read_template_cases(MIE_TEST_DATA "/golden/templates/jinja2.jsonl");
  ASSERT_GE(cases.size(), 650u);
  for (const TemplateCase& golden : cases) {
    SCOPED_TRACE(golden.name + ": " + golden.source);
    const Result<RenderedPrompt> rendered = test::render(golden);
    if (!golden.output) {
      check_error(golden, rendered);
    } else if (rendered.has_error()) {
      ADD_FAILURE() << rendered.error().message;
    } else {
      EXPECT_EQ(rendered->text, *golden.output);
    }
  }
}

}  // namespace
}  // namespace mie
