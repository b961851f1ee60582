#include "server/api/choice_text.h"

#include "core/base/ensure.h"
#include "server/api/answer_json.h"
#include "tests/server/tiny_tokenizer.h"

#include <gtest/gtest.h>

#include <random>

namespace mie::api {
namespace {

using test::TinyTokenizer;

// 0 <eos>  1 <tool>  2 "Hel"  3 "lo"  4 " world"  5 E2  6 82  7 AC  8 "abc"  9 "ab"  10 "c"  11 FF  12 "x\n"  13 F0 9F
const TinyTokenizer& tokenizer() {
  static const TinyTokenizer kTokenizer({{"<eos>", TokenKind::kControl},
                                         {"<tool>", TokenKind::kControl},
                                         {"Hel"},
                                         {"lo"},
                                         {" world"},
                                         {"\xE2"},
                                         {"\x82"},
                                         {"\xAC"},
                                         {"abc"},
                                         {"ab"},
                                         {"c"},
                                         {"\xFF"},
                                         {"x\n"},
                                         {"\xF0\x9F"}},
                                        {TokenId(0)});
  return kTokenizer;
}

Sampled token(int id) { return {TokenId(id), -0.5F, {}}; }

struct Chunk {
  std::string text;
  std::vector<int> ids;
};

Chunk next(ChoiceText& text) {
  Chunk chunk;
  auto piece = text.take();
  chunk.text = piece.text;
  for (const auto& entry : piece.tokens) chunk.ids.push_back(entry.sampled.token.value());
  return chunk;
}

std::vector<int> rest_ids(ChoiceText& text) {
  std::vector<int> ids;
  for (const auto& entry : text.take_rest()) ids.push_back(entry.sampled.token.value());
  return ids;
}

std::string joined_bytes(const std::vector<TokenEntry>& entries) {
  std::string bytes;
  for (const auto& entry : entries) bytes += entry.bytes;
  return bytes;
}

TEST(ChoiceText, ReleasesEachTokenWithItsText) {
  ChoiceText text(tokenizer(), {});
  text.push(token(2));
  EXPECT_EQ(next(text).text, "Hel");
  text.push(token(3));
  const Chunk chunk = next(text);
  EXPECT_EQ(chunk.text, "lo");
  EXPECT_EQ(chunk.ids, (std::vector<int>{3}));
  text.finish();
  EXPECT_EQ(next(text).text, "");
  EXPECT_TRUE(rest_ids(text).empty());
  EXPECT_EQ(text.n_tokens(), 2);
}

TEST(ChoiceText, HoldsACharacterUntilItIsWhole) {
  ChoiceText text(tokenizer(), {});
  for (const int id : {5, 6}) {
    text.push(token(id));
    EXPECT_EQ(next(text).text, "");
  }
  text.push(token(7));
  const Chunk chunk = next(text);
  EXPECT_EQ(chunk.text, "\xE2\x82\xAC");
  EXPECT_EQ(chunk.ids, (std::vector<int>{5, 6, 7})) << "entries travel with the chunk that completes their text";
}

TEST(ChoiceText, EndsACutCharacterWithOneReplacement) {
  ChoiceText text(tokenizer(), {});
  text.push(token(2));
  text.push(token(5));
  text.push(token(6));
  EXPECT_EQ(next(text).text, "Hel");
  text.finish();
  const Chunk chunk = next(text);
  EXPECT_EQ(chunk.text, "\xEF\xBF\xBD");
  EXPECT_EQ(chunk.ids, (std::vector<int>{5, 6}));
}

TEST(ChoiceText, ReplacesWhatCannotBecomeACharacterAndKeepsTheBytesInTheEntries) {
  ChoiceText text(tokenizer(), {});
  for (const int id : {5, 3, 11, 2}) text.push(token(id));
  text.finish();
  auto piece = text.take();
  EXPECT_EQ(piece.text, "\xEF\xBF\xBDlo\xEF\xBF\xBDHel");
  EXPECT_EQ(joined_bytes(piece.tokens), "\xE2lo\xFFHel");
}

TEST(ChoiceText, NoCharacterOfAStopStringIsEverSent) {
  ChoiceText text(tokenizer(), {.stops = {"lo wor"}});
  text.push(token(2));
  EXPECT_EQ(next(text).text, "He") << "an l could begin the stop string";
  text.push(token(3));
  EXPECT_EQ(next(text).text, "l") << "the second one still could";
  text.push(token(4));
  EXPECT_TRUE(text.stopped());
  EXPECT_EQ(text.stop_string(), "lo wor");
  EXPECT_EQ(next(text).text, "");
  auto rest = text.take_rest();
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(joined_bytes(rest), "") << "cut text adds no bytes";
  EXPECT_EQ(text.n_tokens(), 3) << "the completing token counts";
}

TEST(ChoiceText, CutsInsideATokenAtTheExactCharacter) {
  ChoiceText text(tokenizer(), {.stops = {"orl"}});
  text.push(token(4));
  EXPECT_TRUE(text.stopped());
  EXPECT_EQ(next(text).text, " w");
  auto rest = text.take_rest();
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].bytes, " w") << "the entry keeps the bytes that are in the content";
}

TEST(ChoiceText, IncludesTheStopStringWhenAsked) {
  ChoiceText text(tokenizer(), {.stops = {"or"}, .include_stop = true});
  text.push(token(4));
  EXPECT_EQ(next(text).text, " wor");
  EXPECT_EQ(text.take_rest().at(0).bytes, " wor");
}

TEST(ChoiceText, ReleasesAFailedMatchOnceAndAPartialOneAtTheEnd) {
  ChoiceText text(tokenizer(), {.stops = {"lo!"}});
  for (const int id : {2, 3}) text.push(token(id));
  EXPECT_EQ(next(text).text, "Hel");
  text.push(token(2));
  EXPECT_EQ(next(text).text, "loHe");
  text.push(token(3));
  EXPECT_EQ(next(text).text, "l");
  text.finish();
  EXPECT_EQ(next(text).text, "lo");
}

TEST(ChoiceText, TheMatchThatEndsFirstWins) {
  ChoiceText text(tokenizer(), {.stops = {"abc", "ab"}});
  text.push(token(8));
  EXPECT_EQ(text.stop_string(), "ab");
}

TEST(ChoiceText, LooksForStopStringsOnlyAfterMinTokens) {
  ChoiceText text(tokenizer(), {.stops = {"ab"}, .min_tokens = 2});
  for (const int id : {9, 9}) text.push(token(id));
  EXPECT_FALSE(text.stopped());
  EXPECT_EQ(next(text).text, "abab");
  text.push(token(9));
  EXPECT_TRUE(text.stopped());
}

TEST(ChoiceText, HiddenTokensLeaveWithTheNextTextOrAtTheEnd) {
  ChoiceText text(tokenizer(), {.stop_ids = {TokenId(0)}});
  text.push(token(1));
  EXPECT_EQ(next(text).text, "");
  text.push(token(2));
  EXPECT_EQ(next(text).ids, (std::vector<int>{1, 2}));
  text.push(token(0));
  text.finish();
  EXPECT_EQ(next(text).text, "");
  EXPECT_EQ(rest_ids(text), (std::vector<int>{0}));
  EXPECT_EQ(text.n_tokens(), 3);
}

TEST(ChoiceText, ShowsControlTokensWhenAskedButNeverTheOneThatEnds) {
  ChoiceText text(tokenizer(), {.skip_special = false, .stop_ids = {TokenId(0)}});
  text.push(token(1));
  text.push(token(0));
  text.finish();
  EXPECT_EQ(next(text).text, "<tool>");
}

TEST(ChoiceText, OffsetsCountCodePointsAfterTheEcho) {
  ChoiceText text(tokenizer(), {.echo = "h\xC3\xA9"});
  for (const int id : {5, 6, 7, 2, 0}) text.push(token(id));
  text.finish();
  auto piece = text.take();
  EXPECT_EQ(piece.text, "h\xC3\xA9\xE2\x82\xACHel");
  std::vector<std::int64_t> offsets;
  for (const auto& entry : piece.tokens) offsets.push_back(entry.text_offset);
  EXPECT_EQ(offsets, (std::vector<std::int64_t>{2, 2, 2, 3}));
  EXPECT_EQ(text.take_rest().at(0).text_offset, 6);
}

TEST(ChoiceText, EntriesOfTheEchoLeaveWithIt) {
  ChoiceText text(tokenizer(), {.echo = "Hello", .echo_offsets = {0, 3}});
  text.push_prompt(token(2));
  text.push_prompt(token(3));
  text.push(token(5));  // the beginning of a character: no text yet
  auto piece = text.take();
  EXPECT_EQ(piece.text, "Hello");
  ASSERT_EQ(piece.tokens.size(), 2U);
  EXPECT_EQ(piece.tokens[0].place, TokenPlace::kFirstOfPrompt);
  EXPECT_EQ(piece.tokens[1].place, TokenPlace::kInPrompt);
  EXPECT_EQ(piece.tokens[1].text_offset, 3);
  text.push(token(6));
  text.push(token(7));
  piece = text.take();
  ASSERT_EQ(piece.tokens.size(), 3U);
  EXPECT_EQ(piece.tokens[0].place, TokenPlace::kGenerated);
  EXPECT_EQ(piece.tokens[0].text_offset, 5);
}

TEST(ChoiceText, EntriesOfAnEchoWithoutTextStandBeforeTheOthers) {
  ChoiceText text(tokenizer(), {.echo = "", .echo_offsets = {0}});
  text.push_prompt(token(1));
  text.push(token(0));
  text.finish();
  EXPECT_TRUE(text.take().tokens.empty());
  EXPECT_EQ(rest_ids(text), (std::vector{1, 0}));
  EXPECT_EQ(text.n_tokens(), 1) << "what was generated";
}

TEST(ChoiceText, AnEntryForATokenThatIsNotEchoedIsABug) {
  ChoiceText text(tokenizer(), {.echo = "Hel", .echo_offsets = {0}});
  text.push_prompt(token(2));
  EXPECT_THROW(text.push_prompt(token(3)), InvariantError);
}

TEST(ChoiceText, KeepsBlanksAndLineEnds) {
  ChoiceText text(tokenizer(), {});
  text.push(token(4));
  text.push(token(12));
  EXPECT_EQ(next(text).text, " worldx\n");
}

// Any tokens and stop strings: the text is the same however it is taken, joined bytes decode to it, every chunk is valid
// UTF-8, every token leaves once.
TEST(ChoiceText, TakingOftenAndTakingOnceGiveTheSame) {
  std::mt19937 random(11);
  const std::vector<std::vector<std::string>> stop_sets = {
      {}, {"lo"}, {"abc", "cab"}, {"\xEF\xBF\xBD"}, {"l w", "x\n"}, {"\xE2\x82\xAC"}};
  for (int round = 0; round < 10'000; ++round) {
    TextOptions options{.stops = stop_sets[random() % stop_sets.size()],
                        .include_stop = random() % 2 == 0,
                        .min_tokens = static_cast<int>(random() % 3)};
    ChoiceText often(tokenizer(), options), once(tokenizer(), options);
    std::string streamed, bytes;
    std::size_t n_entries = 0;
    const auto drain = [&] {
      auto piece = often.take();
      ASSERT_TRUE(!piece.text.empty() || piece.tokens.empty());
      streamed += piece.text;
      bytes += joined_bytes(piece.tokens);
      n_entries += piece.tokens.size();
    };
    for (unsigned n = random() % 10; n > 0 && !often.stopped(); --n) {
      const int id = static_cast<int>(random() % 14);
      often.push(token(id));
      once.push(token(id));
      drain();
    }
    if (!often.stopped()) often.finish(), once.finish();
    drain();
    const auto rest = often.take_rest();
    bytes += joined_bytes(rest);
    ASSERT_EQ(n_entries + rest.size(), static_cast<std::size_t>(often.n_tokens()));
    const std::string whole = once.take().text;
    ASSERT_EQ(streamed, whole);
    Detokenizer decode;
    std::string decoded = decode.push(bytes);
    decoded += decode.finish();
    ASSERT_EQ(decoded, whole) << "joined bytes are the content before replacement";
  }
}

TEST(TokenText, WritesBytesThatAreNoText) {
  EXPECT_EQ(token_text(tokenizer(), TokenId(13)), "bytes:\\xf0\\x9f");
  EXPECT_EQ(token_text(tokenizer(), TokenId(4)), " world");
  EXPECT_EQ(token_text(tokenizer(), TokenId(0)), "<eos>");
}

}  // namespace
}  // namespace mie::api
