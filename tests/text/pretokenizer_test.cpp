#include "core/text/pretokenizer.h"

#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace mie {
namespace {

using Pieces = std::vector<std::string_view>;

Pretokenizer smollm() { return Pretokenizer::make("smollm").value(); }

std::string utf8(char32_t c) {
  const auto tail = [c](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | c >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | c >> 18), tail(12), tail(6), tail(0)};
}

// The class of each code point by the reference; see tests/golden/make_character_classes.py.
std::vector<std::string> reference_classes() {
  std::vector<std::string> classes(0x110000, "other");
  std::ifstream file(MIE_TEST_DATA "/golden/tokenizer/classes.txt");
  std::string name;
  for (std::size_t first = 0, last = 0; file >> name >> std::hex >> first >> last;) {
    for (std::size_t c = first; c <= last; ++c) classes.at(c) = name;
  }
  return classes;
}

// The class of `c` by how it binds to a neighbour of a known class.
std::string class_of(const Pretokenizer& pretokenizer, char32_t c) {
  if (pretokenizer.split("a" + utf8(c)).size() == 1) return "letter";
  if (pretokenizer.split("!" + utf8(c)).size() == 1) return "other";
  return pretokenizer.split(" " + utf8(c)).size() == 1 ? "space" : "number";
}

TEST(Pretokenizer, CharacterClassesAreTheReferences) {
  const Pretokenizer pretokenizer = smollm();
  const std::vector<std::string> classes = reference_classes();
  ASSERT_EQ(classes['a'], "letter");
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;  // surrogates
    const bool at_an_edge = c > 0 && c < 0x10FFFF && (classes[c] != classes[c - 1] || classes[c] != classes[c + 1]);
    if (!at_an_edge && c % 17 != 0) continue;
    ASSERT_EQ(class_of(pretokenizer, c), classes[c]) << std::hex << static_cast<std::uint32_t>(c);
  }
}

TEST(Pretokenizer, WordsTakeOneBlankWithThem) {
  EXPECT_EQ(smollm().split("Hello world,  it's  me"), (Pieces{"Hello", " world", ",", " ", " it", "'s", " ", " me"}));
}

TEST(Pretokenizer, DigitsStandAlone) {
  EXPECT_EQ(smollm().split("in 2024: 12½"), (Pieces{"in", " ", "2", "0", "2", "4", ":", " ", "1", "2", "½"}));
}

TEST(Pretokenizer, OnlyLowerCaseContractionsAreSplit) {
  EXPECT_EQ(smollm().split("we'll WE'LL"), (Pieces{"we", "'ll", " WE", "'", "LL"}));
}

TEST(Pretokenizer, WhiteSpaceRunsGiveTheirLastBlankToTheWord) {
  EXPECT_EQ(smollm().split("a\n\n  b"), (Pieces{"a", "\n\n ", " b"}));
  EXPECT_EQ(smollm().split("a \t\n"), (Pieces{"a", " \t\n"}));
  EXPECT_EQ(smollm().split("\t\tx"), (Pieces{"\t", "\t", "x"}));
}

TEST(Pretokenizer, WhiteSpaceBeforeADigitStaysTogether) {
  EXPECT_EQ(smollm().split("a  1"), (Pieces{"a", "  ", "1"}));  // the digit is cut out first
}

TEST(Pretokenizer, BytesOfBrokenUtf8AreTheirOwnPieces) {
  EXPECT_EQ(smollm().split("don\x92t"), (Pieces{"don", "\x92", "t"}));
  EXPECT_EQ(smollm().split("é\xE2\x82z"), (Pieces{"é", "\xE2", "\x82", "z"}));
  EXPECT_EQ(smollm().split("\xC0\x80"), (Pieces{"\xC0", "\x80"}));
  EXPECT_EQ(smollm().split("a \xFF"), (Pieces{"a", " ", "\xFF"}));
}

TEST(Pretokenizer, PiecesTogetherAreTheText) {
  const Pretokenizer pretokenizer = smollm();
  std::mt19937 random(3);
  constexpr std::string_view kBytes = " \n\t'sta19.!\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xFF";
  for (int round = 0; round < 10'000; ++round) {
    std::string text(std::uniform_int_distribution<std::size_t>(0, 24)(random), ' ');
    for (char& c : text) c = kBytes[std::uniform_int_distribution<std::size_t>(0, kBytes.size() - 1)(random)];
    std::string together;
    for (const std::string_view piece : pretokenizer.split(text)) {
      EXPECT_FALSE(piece.empty());
      together += piece;
    }
    ASSERT_EQ(together, text);
  }
}

TEST(Pretokenizer, NoTextHasNoPieces) { EXPECT_EQ(smollm().split(""), Pieces{}); }

TEST(Pretokenizer, AMebibyteOfAnythingCostsLinearTime) {
  const Pretokenizer pretokenizer = smollm();
  const std::clock_t begin = std::clock();
  const auto n_pieces = [&](std::string_view unit) {
    std::string text;
    while (text.size() < 1 << 20) text += unit;
    return pretokenizer.split(text).size();
  };
  EXPECT_EQ(n_pieces("a"), 1u);
  EXPECT_EQ(n_pieces(" "), 1u);
  EXPECT_EQ(n_pieces("!"), 1u);
  EXPECT_EQ(n_pieces("7"), 1u << 20);
  EXPECT_EQ(n_pieces(" a"), 1u << 19);
  EXPECT_EQ(n_pieces("\xFF"), 1u << 20);
  EXPECT_EQ(n_pieces("'"), 1u);
  EXPECT_LT(std::clock() - begin, 60 * CLOCKS_PER_SEC);
}

TEST(Pretokenizer, AnUnknownNameIsAnErrorThatNamesIt) {
  const auto made = Pretokenizer::make("f\x1B[31mo");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::kModelFormat);
  EXPECT_EQ(made.error().message, "pre-tokenizer 'f?[31mo' is not supported");
}

}  // namespace
}  // namespace mie
