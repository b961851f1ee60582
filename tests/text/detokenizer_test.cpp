#include "core/text/detokenizer.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mie {
namespace {

using namespace std::string_literals;

std::string from_hex(std::string_view hex) {
  std::string out;
  if (hex == "-") return out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

// Inputs and what Python's decoder makes of them; see tests/golden/make_utf8_golden.py.
std::vector<std::pair<std::string, std::string>> goldens() {
  std::ifstream file(MIE_TEST_DATA "/golden/utf8/replace.txt");
  std::vector<std::pair<std::string, std::string>> rows;
  for (std::string input, output; file >> input >> output;) rows.emplace_back(from_hex(input), from_hex(output));
  return rows;
}

std::string whole(std::string_view bytes) {
  Detokenizer detokenizer;
  std::string out = detokenizer.push(bytes);
  return out + detokenizer.finish();
}

TEST(Detokenizer, EqualsPythonsReplacementOfBrokenUtf8) {
  const auto rows = goldens();
  ASSERT_GT(rows.size(), 2000u);
  for (const auto& [input, output] : rows) EXPECT_EQ(whole(input), output) << testing::PrintToString(input);
}

TEST(Detokenizer, TextDoesNotDependOnHowItWasSplit) {
  const auto rows = goldens();
  std::mt19937 random(5);
  std::uniform_int_distribution<std::size_t> any_row(0, rows.size() - 1), any_length(0, 4);
  for (int round = 0; round < 10'000; ++round) {
    const auto& [input, output] = rows[any_row(random)];
    Detokenizer detokenizer;
    std::string out;
    for (std::size_t at = 0; at < input.size();) {
      const std::size_t n = any_length(random);
      const std::string delta = detokenizer.push(input.substr(at, n));
      EXPECT_TRUE(simdjson::validate_utf8(delta));
      out += delta;
      at += n;
    }
    out += detokenizer.finish();
    ASSERT_EQ(out, output) << testing::PrintToString(input);
  }
}

TEST(Detokenizer, ACharacterComesWithItsLastByte) {
  Detokenizer detokenizer;
  EXPECT_EQ(detokenizer.push("a\xF0"), "a");
  EXPECT_EQ(detokenizer.push("\x9F"), "");
  EXPECT_EQ(detokenizer.push("\x98"), "");
  EXPECT_EQ(detokenizer.push("\x80!"), "😀!");
  EXPECT_EQ(detokenizer.finish(), "");
}

TEST(Detokenizer, ABrokenSequenceIsReplacedAsSoonAsItIsBroken) {
  Detokenizer detokenizer;
  EXPECT_EQ(detokenizer.push("\xE2\x82"), "");
  EXPECT_EQ(detokenizer.push("z"), "\uFFFDz");
  EXPECT_EQ(detokenizer.push("\xFF"), "\uFFFD");
}

TEST(Detokenizer, OneReplacementForEachMaximalSubpart) {
  EXPECT_EQ(whole("\xC0\x80"), "\uFFFD\uFFFD");
  EXPECT_EQ(whole("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(whole("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(whole("\xF0\x9F\x98"), "\uFFFD");
}

TEST(Detokenizer, AnIncompleteTailIsReplacedAtTheEndOnce) {
  Detokenizer detokenizer;
  EXPECT_EQ(detokenizer.push("ok\xE4\xBD"), "ok");
  EXPECT_EQ(detokenizer.finish(), "\uFFFD");
  EXPECT_EQ(detokenizer.finish(), "");
}

TEST(Detokenizer, BlanksAndControlCharactersPassUnchanged) {
  const std::string text = " \n\r data: [DONE]\0\u2028 \t "s;
  EXPECT_EQ(whole(text), text);
}

}  // namespace
}  // namespace mie
