#include "core/base/ensure.h"
#include "core/text/byte_alphabet.h"
#include "core/text/tokenizer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mie {
namespace {

using Ids = std::vector<TokenId>;

constexpr TokenId kEnd(256), kTool(257), kUnused(258), kText(259), kAb(260), kBc(261), kAbc(262), kBlankA(263);

// Every byte (its id is its value), four entries that are no ordinary text, and a few merges.
TokenizerConfig small_config() {
  const ByteAlphabet alphabet;
  TokenizerConfig config;
  config.model = "gpt2";
  config.pre_tokenizer = "smollm";
  for (int byte = 0; byte < 256; ++byte) config.tokens.push_back(alphabet.letter(static_cast<unsigned char>(byte)));
  for (const char* token : {"<|end|>", "<tool>", "[PAD]", "<|text|>", "ab", "bc", "abc", "Ġa"})
    config.tokens.emplace_back(token);
  config.kinds.assign(config.tokens.size(), TokenKind::kNormal);
  config.kinds[256] = TokenKind::kControl;
  config.kinds[257] = TokenKind::kUserDefined;
  config.kinds[258] = TokenKind::kUnused;
  config.merges = {"b c", "a b", "a bc", "Ġ a"};
  config.eos_ids = {kEnd, kText};
  return config;
}

std::unique_ptr<Tokenizer> small_tokenizer() { return make_tokenizer(small_config()).value(); }

Ids bytes(std::string_view text) {
  Ids ids;
  for (const char c : text) ids.push_back(TokenId(static_cast<unsigned char>(c)));
  return ids;
}

Ids joined(const std::vector<Ids>& parts) {
  Ids all;
  for (const Ids& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::string decoded(const Tokenizer& tokenizer, const Ids& ids) {
  std::string text;
  for (const TokenId id : ids) text += tokenizer.token_bytes(id);
  return text;
}

TEST(BpeTokenizer, MergesByRankWithinAPiece) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer->encode("abc"), Ids{kAbc});  // b c first, then a bc
  EXPECT_EQ(tokenizer->encode("ab"), Ids{kAb});
  EXPECT_EQ(tokenizer->encode("bca"), (Ids{kBc, TokenId('a')}));
  EXPECT_EQ(tokenizer->encode("xab"), (Ids{TokenId('x'), kAb}));
  EXPECT_EQ(tokenizer->encode("a b"), (joined({bytes("a"), bytes(" b")})));
  EXPECT_EQ(tokenizer->encode(" abc"), (Ids{TokenId(' '), kAbc}));  // Ġ a would need an a that is still alone
  EXPECT_EQ(tokenizer->encode(""), Ids{});
}

TEST(BpeTokenizer, AddedTokensAreCutOutFirst) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer->encode("ab<|end|>c"), (Ids{kAb, kEnd, TokenId('c')}));
  EXPECT_EQ(tokenizer->encode("<tool><|end|><|end|>"), (Ids{kTool, kEnd, kEnd}));
  EXPECT_EQ(tokenizer->encode("[PAD]"), bytes("[PAD]"));  // an unused entry stands for nothing
}

TEST(BpeTokenizer, ControlTokensInLiteralTextAreOrdinaryText) {
  const auto tokenizer = small_tokenizer();
  const std::string text = "x<|end|>ab<|end|>";
  EXPECT_EQ(tokenizer->encode(text, std::vector<ByteRange>{{0, 10}}), (joined({bytes("x<|end|>"), {kAb}, {kEnd}})));
  EXPECT_EQ(tokenizer->encode(text, std::vector<ByteRange>{{7, 8}}), (joined({bytes("x<|end|>"), {kAb}, {kEnd}})));
  EXPECT_EQ(tokenizer->encode(text, std::vector<ByteRange>{{0, 1}, {8, 10}}), (Ids{TokenId('x'), kEnd, kAb, kEnd}));
  EXPECT_EQ(tokenizer->encode(text, std::vector<ByteRange>{{0, text.size()}}),
            (joined({bytes("x<|end|>"), {kAb}, bytes("<|end|>")})));
}

TEST(BpeTokenizer, UserDefinedTokensInLiteralTextAreRecognised) {
  EXPECT_EQ(small_tokenizer()->encode("<tool>", std::vector<ByteRange>{{0, 6}}), Ids{kTool});
}

TEST(BpeTokenizer, TheEdgeOfALiteralRangeDoesNotCutAWord) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer->encode("abc", std::vector<ByteRange>{{1, 2}}), Ids{kAbc});
  EXPECT_EQ(tokenizer->encode(" a", std::vector<ByteRange>{{1, 2}}), Ids{kBlankA});
}

TEST(BpeTokenizer, LiteralRangesOutOfOrderOrBoundsAreABug) {
  const auto tokenizer = small_tokenizer();
  using Ranges = std::vector<ByteRange>;
  EXPECT_THROW((void)tokenizer->encode("abc", Ranges{{2, 3}, {0, 1}}), InvariantError);
  EXPECT_THROW((void)tokenizer->encode("abc", Ranges{{0, 2}, {1, 3}}), InvariantError);
  EXPECT_THROW((void)tokenizer->encode("abc", Ranges{{2, 1}}), InvariantError);
  EXPECT_THROW((void)tokenizer->encode("abc", Ranges{{0, 4}}), InvariantError);
}

TEST(BpeTokenizer, EveryEosIsAControlTokenWhateverTheFileSays) {
  const auto tokenizer = small_tokenizer();
  EXPECT_TRUE(tokenizer->special(kText));
  EXPECT_EQ(tokenizer->encode("<|text|>"), Ids{kText});
  EXPECT_EQ(tokenizer->encode("<|text|>", std::vector<ByteRange>{{0, 8}}), bytes("<|text|>"));
}

TEST(BpeTokenizer, EncodingAndBackGivesTheSameBytes) {
  const auto tokenizer = small_tokenizer();
  std::mt19937 random(17);
  const std::vector<std::string> parts = {"a",  "b",        "c",    " ", "<|end|>", "<tool>", "é",
                                          "😀", "\xF0\x9F", "\xFF", "1", "\n",      "'s"};
  for (int round = 0; round < 10'000; ++round) {
    std::string text;
    for (int n = std::uniform_int_distribution(0, 12)(random); n > 0; --n) {
      text += round % 2 == 0 ? std::string(1, static_cast<char>(std::uniform_int_distribution(0, 255)(random)))
                             : parts[std::uniform_int_distribution<std::size_t>(0, parts.size() - 1)(random)];
    }
    ASSERT_EQ(decoded(*tokenizer, tokenizer->encode(text)), text);
  }
}

TEST(BpeTokenizer, BytesWithoutATokenAreDroppedBeforeMerging) {
  TokenizerConfig config = small_config();
  config.tokens['\x7F'] = "unreachable";  // in the place of the letter of 7F; "~" and "ab" follow in one piece
  config.tokens.emplace_back("~~");
  config.kinds.push_back(TokenKind::kNormal);
  config.merges.emplace_back("~ ~");
  const auto tokenizer = make_tokenizer(std::move(config)).value();
  EXPECT_EQ(tokenizer->encode("~\x7F~"), Ids{TokenId(264)});
  EXPECT_EQ(tokenizer->encode("\x7F"), Ids{});
}

TEST(BpeTokenizer, DescribesItsTokens) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer->n_vocab(), 264);
  EXPECT_EQ(tokenizer->token_bytes(TokenId(0xFF)), "\xFF");
  EXPECT_EQ(tokenizer->token_bytes(kBlankA), " a");
  EXPECT_EQ(tokenizer->token_bytes(kEnd), "<|end|>");
  EXPECT_EQ(tokenizer->token_bytes(kUnused), "");
  EXPECT_EQ(tokenizer->max_token_bytes(), 8u);  // <|text|>
  EXPECT_EQ(tokenizer->kind(kTool), TokenKind::kUserDefined);
  EXPECT_FALSE(tokenizer->special(kTool));
  EXPECT_TRUE(tokenizer->special(kEnd));
  EXPECT_EQ(tokenizer->config().eos_ids, (Ids{kEnd, kText}));
  EXPECT_THROW((void)tokenizer->token_bytes(TokenId(264)), InvariantError);
  EXPECT_THROW((void)tokenizer->kind(TokenId(-1)), InvariantError);
}

// What the message must say of a config that is changed by `change`.
template <class Change>
std::string refusal(Change change) {
  TokenizerConfig config = small_config();
  change(config);
  const auto made = make_tokenizer(std::move(config));
  if (made) return "accepted";
  EXPECT_EQ(made.error().code, Errc::kModelFormat);
  return made.error().message;
}

TEST(MakeTokenizer, NamesWhatIsNotSupported) {
  EXPECT_EQ(refusal([](TokenizerConfig& c) { c.model = "unigram"; }), "tokenizer model 'unigram' is not supported");
  EXPECT_EQ(refusal([](TokenizerConfig& c) { c.pre_tokenizer = "foo"; }), "pre-tokenizer 'foo' is not supported");
}

TEST(MakeTokenizer, RefusesAConfigThatContradictsItself) {
  EXPECT_EQ(refusal([](TokenizerConfig&) {}), "accepted");
  EXPECT_EQ(refusal([](TokenizerConfig& c) { c.tokens.clear(); }), "tokenizer: the vocabulary is empty");
  EXPECT_EQ(refusal([](TokenizerConfig& c) { c.kinds.pop_back(); }), "tokenizer: 264 tokens but 263 token kinds");
  EXPECT_EQ(refusal([](TokenizerConfig& c) { c.tokens[262] = "ab"; }), "tokenizer: tokens 260 and 262 are the same");
  EXPECT_EQ(refusal([](TokenizerConfig& c) { c.merges[1] = "ab"; }), "tokenizer: merge 1 is not a pair");
  EXPECT_EQ(refusal([](TokenizerConfig& c) { c.merges[1] = "a zz"; }), "tokenizer: merge 1 is of unknown tokens");
  EXPECT_EQ(refusal([](TokenizerConfig& c) { c.merges[1] = "zz a"; }), "tokenizer: merge 1 is of unknown tokens");
  EXPECT_EQ(refusal([](TokenizerConfig& c) { c.merges[1] = "b b"; }), "tokenizer: merge 1 is of unknown tokens");
  EXPECT_EQ(refusal([](TokenizerConfig& c) { c.merges[1] = "b c"; }), "tokenizer: merge 1 repeats an earlier one");
  EXPECT_EQ(refusal([](TokenizerConfig& c) { c.eos_ids = {TokenId(264)}; }),
            "tokenizer: id 264 is outside of the vocabulary of 264");
  EXPECT_EQ(refusal([](TokenizerConfig& c) { c.bos_id = {TokenId(-1)}; }),
            "tokenizer: id -1 is outside of the vocabulary of 264");
  EXPECT_EQ(refusal([](TokenizerConfig& c) { c.bos_id = {kEnd, kTool}; }), "tokenizer: more than one BOS id");
}

TEST(MakeTokenizer, UnusedEntriesMayRepeat) {
  EXPECT_EQ(refusal([](TokenizerConfig& c) {
              c.tokens.insert(c.tokens.end(), 3, "[PAD]");
              c.kinds.insert(c.kinds.end(), 3, TokenKind::kUnused);
            }),
            "accepted");
}

}  // namespace
}  // namespace mie
