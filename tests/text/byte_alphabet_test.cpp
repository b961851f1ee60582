#include "core/text/byte_alphabet.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace mie {
namespace {

// Letters as they stand in GPT-2's published vocabulary.
TEST(ByteAlphabet, WritesBytesAsGpt2Does) {
  const ByteAlphabet alphabet;
  EXPECT_EQ(alphabet.letter('A'), "A");
  EXPECT_EQ(alphabet.letter(' '), "Ġ");
  EXPECT_EQ(alphabet.letter('\n'), "Ċ");
  EXPECT_EQ(alphabet.letter('\t'), "ĉ");
  EXPECT_EQ(alphabet.letter(0x00), "Ā");
  EXPECT_EQ(alphabet.letter(0x7F), "ġ");
  EXPECT_EQ(alphabet.letter(0xA0), "ł");
  EXPECT_EQ(alphabet.letter(0xAD), "Ń");
  EXPECT_EQ(alphabet.letter(0xC3), "Ã");
  EXPECT_EQ(alphabet.letter(0xFF), "ÿ");
}

TEST(ByteAlphabet, HasALetterOfItsOwnForEachByte) {
  const ByteAlphabet alphabet;
  std::set<std::string> letters;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string& letter = alphabet.letter(static_cast<unsigned char>(byte));
    letters.insert(letter);
    EXPECT_EQ(alphabet.bytes(letter), std::string(1, static_cast<char>(byte)));
  }
  EXPECT_EQ(letters.size(), 256u);
}

TEST(ByteAlphabet, ReadsWholeTokens) {
  const ByteAlphabet alphabet;
  EXPECT_EQ(alphabet.bytes("ĠcafÃ©"), " caf\xC3\xA9");
  EXPECT_EQ(alphabet.bytes(""), "");
}

TEST(ByteAlphabet, KnowsWhatIsNoLetter) {
  const ByteAlphabet alphabet;
  EXPECT_EQ(alphabet.bytes("a b"), std::nullopt);  // a blank is written Ġ
  EXPECT_EQ(alphabet.bytes("ń"), std::nullopt);    // U+0144, one past the last letter
  EXPECT_EQ(alphabet.bytes("你"), std::nullopt);
  EXPECT_EQ(alphabet.bytes("a\xC3"), std::nullopt);  // not UTF-8
}

}  // namespace
}  // namespace mie
