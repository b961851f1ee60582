#include "core/text/jinja/marked_string.h"

#include <gtest/gtest.h>

#include <random>

namespace mie::jinja {
namespace {

MarkedString mixed() {
  MarkedString text("ab", Origin::kTemplate);
  text.append("CD", Origin::kInput);
  text.append("ef");
  text.append("GH", Origin::kInput);
  return text;  // abCDefGH
}

TEST(MarkedString, MarksWhatIsInput) {
  EXPECT_EQ(mixed().text(), "abCDefGH");
  EXPECT_EQ(mixed().marks(), (std::vector<ByteRange>{{2, 4}, {6, 8}}));
}

TEST(MarkedString, JoinsTouchingMarks) {
  MarkedString text("A", Origin::kInput);
  text.append("B", Origin::kInput);
  EXPECT_EQ(text.marks(), (std::vector<ByteRange>{{0, 2}}));
}

TEST(MarkedString, EmptyInputLeavesNoMark) {
  EXPECT_TRUE(MarkedString("", Origin::kInput).marks().empty());
  MarkedString text("a", Origin::kTemplate);
  text.append("", Origin::kInput);
  EXPECT_TRUE(text.marks().empty());
}

TEST(MarkedString, SliceCutsMarks) {
  EXPECT_EQ(mixed().slice(3, 7).text(), "DefG");
  EXPECT_EQ(mixed().slice(3, 7).marks(), (std::vector<ByteRange>{{0, 1}, {3, 4}}));
  EXPECT_TRUE(mixed().slice(4, 6).marks().empty());
}

TEST(MarkedString, TruncateCutsMarks) {
  MarkedString text = mixed();
  text.truncate(3);
  EXPECT_EQ(text.marks(), (std::vector<ByteRange>{{2, 3}}));
  text.truncate(2);
  EXPECT_TRUE(text.marks().empty());
}

TEST(MarkedString, RunsCoverTheTextInOrder) {
  std::string shown;
  mixed().for_each_run(
      [&shown](std::string_view run, Origin origin) { shown += std::string(run) + (origin == Origin::kInput ? "!" : "."); });
  EXPECT_EQ(shown, "ab.CD!ef.GH!");
}

// Input bytes are upper case, the others lower case, so the text itself says what the marks must be.
void check(const MarkedString& text) {
  std::size_t previous_end = 0;
  for (std::size_t i = 0; i < text.marks().size(); ++i) {
    const ByteRange range = text.marks()[i];
    ASSERT_LT(range.begin, range.end);
    ASSERT_TRUE(i == 0 || previous_end < range.begin);
    previous_end = range.end;
  }
  ASSERT_LE(previous_end, text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool upper = text.text()[at] >= 'A' && text.text()[at] <= 'Z';
    ASSERT_EQ(text.origin_at(at) == Origin::kInput, upper) << text.text() << " at " << at;
  }
}

TEST(MarkedString, KeepsEachBytesOriginThroughRandomEdits) {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  MarkedString text;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t begin = below(text.size() + 1), end = begin + below(text.size() - begin + 1);
    switch (below(5)) {
      case 0:
        text.append(std::string(below(4), static_cast<char>('a' + below(26))));
        break;
      case 1:
        text.append(std::string(below(4), static_cast<char>('A' + below(26))), Origin::kInput);
        break;
      case 2:
        text.append(MarkedString(text), begin, end);
        break;
      case 3:
        text = text.slice(begin, end);
        break;
      default:
        text.truncate(end);
    }
    if (text.size() > 200) text = text.slice(150, 200);
    check(text);
  }
}

}  // namespace
}  // namespace mie::jinja
