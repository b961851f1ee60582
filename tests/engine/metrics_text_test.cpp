#include "tests/fakes/metrics_text.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mie::test {
namespace {

TEST(MetricsText, ReadsNamesLabelsAndValues) {
  const MetricsText text(
      "# HELP a help\n# TYPE a counter\na 3\nb{x=\"1\",y=\"q\\\"\\\\\\n,}\"} 2.5\nb{x=\"2\"} 1e3\nc{} +Inf\n");
  EXPECT_EQ(text.value("a"), 3);
  EXPECT_EQ(text.value("b", {{"y", "q\"\\\n,}"}}), 2.5);
  EXPECT_EQ(text.sum("b"), 1002.5);
  EXPECT_EQ(text.sum("none"), 0);
  EXPECT_TRUE(text.has("c"));
  EXPECT_FALSE(text.has("d"));
  EXPECT_THROW(static_cast<void>(text.value("b")), std::runtime_error);
  EXPECT_THROW(static_cast<void>(text.value("d")), std::runtime_error);
}

TEST(MetricsText, RefusesMalformedLines) {
  for (const char* line : {"a", "a{x=\"1\" 2", "a{x=1} 2", "a{x=\"1\"}", "a{x=\"1\",x=\"2\"} 3", "a b"})
    EXPECT_THROW(MetricsText{line}, std::runtime_error) << line;
}

}  // namespace
}  // namespace mie::test
