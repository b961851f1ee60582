#include "server/json/request_parse.h"

#include <gtest/gtest.h>

namespace mie::json {
namespace {

struct Fault {
  Errc code;
  std::string param;
};

Fault fault_of(std::string body) {
  const auto parsed = RequestDocument::parse(std::move(body));
  EXPECT_TRUE(parsed.has_error());
  if (!parsed.has_error()) return {Errc::kInternal, "accepted"};
  for (const char c : parsed.error().message) EXPECT_TRUE(c >= 0x20 && c < 0x7F) << "message is not plain ASCII";
  return {parsed.error().code, parsed.error().param};
}

bool accepted(std::string body) { return RequestDocument::parse(std::move(body)).has_value(); }

std::string nested(int depth, char open, char close) {
  return std::string(static_cast<std::size_t>(depth), open) + std::string(static_cast<std::size_t>(depth), close);
}

TEST(RequestDocument, TakesAnObject) {
  EXPECT_TRUE(accepted("{}"));
  EXPECT_TRUE(accepted(" \r\n\t{ \"a\" : [1, 2.5, \"x\", null, true] }\n"));
}

TEST(RequestDocument, RefusesWhatIsNotOneObject) {
  for (const char* body : {"",
                           "  ",
                           "null",
                           "[]",
                           "\"x\"",
                           "5",
                           "{",
                           "{\"a\":1",
                           "{} {}",
                           "{}x",
                           "{\"a\":1,}",
                           "{\"zzz\":tru}",
                           "{'a':1}",
                           "{\"a\":01}",
                           "{\"a\":1.}",
                           "{\"a\":.5}",
                           "{\"a\":+1}",
                           "{\"a\":NaN}",
                           "{\"a\":Infinity}",
                           "{\"a\":-}",
                           "{\"a\" 1}",
                           "{\"a\":\"x\ny\"}",
                           "{\"a\":\"\\x\"}",
                           "{\"a\":\"\\u12\"}",
                           "{a:1}",
                           "{\"a\":1 \"b\":2}"}) {
    EXPECT_EQ(fault_of(body).code, Errc::kInvalidJson) << body;
  }
}

TEST(RequestDocument, NamesTheByteOfTheFault) {
  const auto parsed = RequestDocument::parse(R"({"a":1,"b":tru})");
  EXPECT_EQ(parsed.error().message, "request body is not a JSON object: unknown word at byte 11");
}

TEST(RequestDocument, RefusesByteOrderMarkAndOtherEncodings) {
  EXPECT_EQ(fault_of("\xEF\xBB\xBF{}").code, Errc::kInvalidJson);
  EXPECT_EQ(fault_of(std::string("\xFF\xFE{\0}\0", 6)).code, Errc::kInvalidUtf8);
  EXPECT_EQ(fault_of("{\"a\":\"\xC0\x80\"}").code, Errc::kInvalidUtf8);
  EXPECT_EQ(fault_of("{\"temperature\":\"\xED\xA0\x80\"}").code, Errc::kInvalidUtf8);
}

TEST(RequestDocument, RefusesALoneSurrogateWithItsPath) {
  for (const char* text : {"\\ud800", "a\\udc00b", "\\ud83d x", "\\ud83d\\u0041", "\\ud800\\ud800"}) {
    const Fault fault = fault_of("{\"messages\":[{\"content\":\"" + std::string(text) + "\"}]}");
    EXPECT_EQ(fault.code, Errc::kInvalidUtf8) << text;
    EXPECT_EQ(fault.param, "messages[0].content") << text;
  }
  EXPECT_EQ(fault_of("{\"\\ud800\":1}").code, Errc::kInvalidUtf8);
  EXPECT_TRUE(accepted("{\"a\":\"\\ud83d\\ude00\\u0000\"}"));
}

TEST(RequestDocument, RefusesAKeyTwiceAtAnyDepth) {
  EXPECT_EQ(fault_of(R"({"a":1,"b":2,"a":3})").param, "a");
  EXPECT_EQ(fault_of(R"({"a":1,"a":1})").code, Errc::kDuplicateKey);
  const Fault deep = fault_of(R"({"x":[0,{"y":{"z":1,"z":2}}]})");
  EXPECT_EQ(deep.code, Errc::kDuplicateKey);
  EXPECT_EQ(deep.param, "x[1].y.z");
  EXPECT_EQ(fault_of("{\"a\":1,\"\\u0061\":2}").code, Errc::kDuplicateKey) << "an escape hides nothing";
  EXPECT_TRUE(accepted(R"({"x":[{"a":1},{"a":2}],"a":3})"));
}

TEST(RequestDocument, BoundsNestingOfArraysAndObjects) {
  EXPECT_TRUE(accepted("{\"a\":" + nested(63, '[', ']') + "}"));
  EXPECT_EQ(fault_of("{\"a\":" + nested(64, '[', ']') + "}").code, Errc::kTooDeep);
  for (const int depth : {100, 10'000, 100'000}) {
    EXPECT_EQ(fault_of("{\"a\":" + nested(depth, '[', ']') + "}").code, Errc::kTooDeep) << depth;
    std::string objects, end;
    for (int i = 0; i < depth; ++i) objects += "{\"a\":", end += '}';
    EXPECT_EQ(fault_of(objects + "1" + end).code, Errc::kTooDeep) << depth;
  }
}

TEST(RequestDocument, NamesTheNumberThatNothingHolds) {
  const Fault fault = fault_of(R"({"metadata":{"x":[1,1e400]}})");
  EXPECT_EQ(fault.code, Errc::kInvalidValue);
  EXPECT_EQ(fault.param, "metadata.x[1]");
  EXPECT_EQ(fault_of(R"({"seed":-1e999})").param, "seed");
  EXPECT_TRUE(accepted(R"({"a":5e-324,"b":1e-400,"c":1.7976931348623157e308,"d":-0.0})"));
}

TEST(RequestDocument, ReadsIntegersBeyond64BitsAsDoublesAndRemembersThem) {
  const auto parsed = RequestDocument::parse(R"({"a":123456789012345678901,"b":[-9223372036854775809,1e20]})");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_DOUBLE_EQ(double(parsed->root()["a"].get_double()), 123456789012345678901.0);
  EXPECT_TRUE(parsed->is_oversized_integer("a"));
  EXPECT_TRUE(parsed->is_oversized_integer("b[0]"));
  EXPECT_FALSE(parsed->is_oversized_integer("b[1]"));
}

TEST(RequestDocument, RefusesAnEndlessString) {
  const Fault fault = fault_of("{\"prompt\":[\"" + std::string(kMaxStringBytes + 1, 'a') + "\"]}");
  EXPECT_EQ(fault.code, Errc::kInvalidValue);
  EXPECT_EQ(fault.param, "prompt[0]");
}

TEST(RequestDocument, ShowsNoRawBytesOfAKey) {
  EXPECT_EQ(fault_of("{\"a<\\u00e9\\n\":1e400}").param.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789?._-[]"),
            std::string::npos);
  EXPECT_LE(fault_of("{\"" + std::string(5000, 'k') + "\":1e400}").param.size(), 64U);
}

// Any single byte changed in a good body: parsed or refused with a documented code, never anything else.
TEST(RequestDocument, SurvivesEveryOneByteChange) {
  const std::string good =
      R"({"model":"m","messages":[{"role":"user","content":"h\u00e9\n"}],"seed":12,"stop":["a","b"],"x":1.5e3})";
  int n_refused = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string body = good;
      body[i] = static_cast<char>(byte);
      const auto parsed = RequestDocument::parse(body);
      if (!parsed.has_error()) continue;
      ++n_refused;
      const auto code = parsed.error().code;
      EXPECT_TRUE(code == Errc::kInvalidJson || code == Errc::kInvalidUtf8 || code == Errc::kDuplicateKey ||
                  code == Errc::kInvalidValue);
      EXPECT_EQ(parsed.error().message.find("The JSON document"), std::string::npos) << "no place was found for " << body;
    }
  }
  EXPECT_GT(n_refused, 10'000);
}

}  // namespace
}  // namespace mie::json
