#include "server/json/response_write.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <limits>
#include <random>

namespace mie::json {
namespace {

std::string quoted_text(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
  JsonWriter out;
  out.begin_object()
      .member("a", 1)
      .key("b")
      .begin_array()
      .integer(1)
      .string("x")
      .begin_object()
      .end_object()
      .null()
      .end_array();
  out.member("c", true).null_member("d").end_object();
  EXPECT_EQ(out.text(), R"({"a":1,"b":[1,"x",{},null],"c":true,"d":null})");
}

TEST(JsonWriter, StringThatEndsLikeABracketStillGetsAComma) {
  JsonWriter out;
  out.begin_array().string("[").string("{").string(":").end_array();
  EXPECT_EQ(out.text(), R"(["[","{",":"])");
}

TEST(JsonWriter, KeepsEveryStringOnOneLine) {
  EXPECT_EQ(quoted_text("a\n\r\t\b\f\"\\"), R"("a\n\r\t\b\f\"\\")");
  EXPECT_EQ(quoted_text(std::string_view("\0\x1f\x7f", 3)), R"("\u0000\u001f\u007f")");
  EXPECT_EQ(quoted_text("\xC2\x85 \xE2\x80\xA8 \xE2\x80\xA9"), R"("\u0085 \u2028 \u2029")");
  EXPECT_EQ(quoted_text("\xC2\xA0\xE2\x80\xA7\xE2\x82\xAC\xF0\x9F\x98\x80"),
            "\"\xC2\xA0\xE2\x80\xA7\xE2\x82\xAC\xF0\x9F\x98\x80\"");
}

TEST(JsonWriter, WritesNumbersShortest) {
  JsonWriter out;
  out.begin_array().number(0.1).number(1e300).real32(-0.3F).fixed(21.7, 3).integer(-9223372036854775807 - 1).end_array();
  EXPECT_EQ(out.text(), "[0.1,1e+300,-0.3,21.700,-9223372036854775808]");
}

TEST(JsonWriter, HasNoWordForWhatIsNotFinite) {
  JsonWriter out;
  out.begin_array()
      .number(std::nan(""))
      .number(std::numeric_limits<double>::infinity())
      .real32(-std::numeric_limits<float>::infinity())
      .end_array();
  EXPECT_EQ(out.text(), "[null,null,null]");
}

// simdjson as the referee: whatever is written reads back as the same text.
TEST(JsonWriter, AnyTextReadsBackTheSame) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"a",
                                           "\"",
                                           "\\",
                                           "\n",
                                           "\x01",
                                           "\x7f",
                                           "\xC2\x85",
                                           "\xC2\xA9",
                                           "\xE2\x80\xA8",
                                           "\xE2\x82\xAC",
                                           "\xF0\x9F\x98\x80",
                                           " ",
                                           "data: ",
                                           std::string(1, '\0')};
  simdjson::dom::parser parser;
  for (int i = 0; i < 10'000; ++i) {
    std::string text;
    for (unsigned n = random() % 12; n > 0; --n) text += pieces[random() % pieces.size()];
    const std::string json = "[" + quoted_text(text) + "]";
    ASSERT_EQ(json.find_first_of("\n\r"), std::string::npos);
    const simdjson::padded_string padded(json);
    std::string_view back;
    ASSERT_EQ(parser.parse(padded).at(0).get(back), simdjson::SUCCESS) << json;
    ASSERT_EQ(back, text);
  }
}

}  // namespace
}  // namespace mie::json
