#include "server/model/gguf_tokenizer.h"

#include "models/weights/gguf.h"

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mie {
namespace {

// Writes GGUF version 3 files that hold metadata only.
class GgufWriter {
 public:
  void string(std::string_view key, std::string_view value) { entry(key, 8).text(value); }
  void boolean(std::string_view key, bool value) { entry(key, 7).number(static_cast<std::uint8_t>(value)); }
  void uint32(std::string_view key, std::uint32_t value) { entry(key, 4).number(value); }
  void int64(std::string_view key, std::int64_t value) { entry(key, 11).number(value); }
  void strings(std::string_view key, const std::vector<std::string>& values) {
    entry(key, 9).number(std::uint32_t{8}).number(std::uint64_t{values.size()});
    for (const std::string& value : values) text(value);
  }
  void int32s(std::string_view key, const std::vector<std::int32_t>& values) {
    entry(key, 9).number(std::uint32_t{5}).number(std::uint64_t{values.size()});
    for (const std::int32_t value : values) number(value);
  }

  [[nodiscard]] std::string file() const {
    GgufWriter head;
    head.bytes_ = "GGUF";
    head.number(std::uint32_t{3}).number(std::uint64_t{0}).number(n_entries_);
    return head.bytes_ + bytes_;
  }

 private:
  GgufWriter& entry(std::string_view key, std::uint32_t type) {
    ++n_entries_;
    return text(key).number(type);
  }
  GgufWriter& text(std::string_view value) {
    number(std::uint64_t{value.size()});
    bytes_ += value;
    return *this;
  }
  GgufWriter& number(std::integral auto value) {  // little-endian, as the machines this runs on
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes_.append(raw, sizeof value);
    return *this;
  }

  std::string bytes_;
  std::uint64_t n_entries_ = 0;
};

GgufWriter small_file() {
  GgufWriter writer;
  writer.string("general.architecture", "llama");
  writer.string("tokenizer.ggml.model", "gpt2");
  writer.string("tokenizer.ggml.pre", "smollm");
  writer.strings("tokenizer.ggml.tokens", {"<|end|>", "a", "b", "ab", "<tool>", "[PAD]", "<0x0A>", "<unk>"});
  writer.int32s("tokenizer.ggml.token_type", {3, 1, 1, 1, 4, 5, 6, 2});
  writer.strings("tokenizer.ggml.merges", {"a b"});
  return writer;
}

Result<TokenizerConfig> read(const GgufWriter& writer) {
  const std::string bytes = writer.file();
  const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)), "test.gguf");
  if (!file) return file.error();
  return tokenizer_config(**file);
}

using Ids = std::vector<TokenId>;

TEST(GgufTokenizer, ReadsTheVocabulary) {
  const auto config = read(small_file());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->model, "gpt2");
  EXPECT_EQ(config->pre_tokenizer, "smollm");
  EXPECT_EQ(config->tokens, (std::vector<std::string>{"<|end|>", "a", "b", "ab", "<tool>", "[PAD]", "<0x0A>", "<unk>"}));
  EXPECT_EQ(config->merges, std::vector<std::string>{"a b"});
  EXPECT_EQ(config->kinds, (std::vector{TokenKind::kControl, TokenKind::kNormal, TokenKind::kNormal, TokenKind::kNormal,
                                        TokenKind::kUserDefined, TokenKind::kUnused, TokenKind::kByte, TokenKind::kUnknown}));
}

TEST(GgufTokenizer, WhatIsAbsentIsOff) {
  const auto config = read(small_file());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->bos_id, Ids{});
  EXPECT_EQ(config->eos_ids, Ids{});
  EXPECT_FALSE(config->add_bos);
  EXPECT_FALSE(config->add_eos);
}

TEST(GgufTokenizer, EosIsTheUnionOfItsKeys) {
  GgufWriter writer = small_file();
  writer.uint32("tokenizer.ggml.bos_token_id", 1);
  writer.uint32("tokenizer.ggml.eos_token_id", 0);
  writer.uint32("tokenizer.ggml.eot_token_id", 4);
  writer.uint32("tokenizer.ggml.eom_token_id", 0);
  writer.boolean("tokenizer.ggml.add_bos_token", true);
  writer.boolean("tokenizer.ggml.add_eos_token", true);
  const auto config = read(writer);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->bos_id, Ids{TokenId(1)});
  EXPECT_EQ(config->eos_ids, (Ids{TokenId(0), TokenId(4)}));
  EXPECT_TRUE(config->add_bos);
  EXPECT_TRUE(config->add_eos);
}

TEST(GgufTokenizer, WithoutTypesEveryTokenIsNormal) {
  GgufWriter writer;
  writer.string("tokenizer.ggml.model", "llama");
  writer.strings("tokenizer.ggml.tokens", {"a", "b"});
  const auto config = read(writer);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->kinds, (std::vector{TokenKind::kNormal, TokenKind::kNormal}));
}

void expect_refusal(const GgufWriter& writer, std::string_view key) {
  const auto config = read(writer);
  ASSERT_FALSE(config) << key;
  EXPECT_EQ(config.error().code, Errc::kModelFormat);
  EXPECT_NE(config.error().message.find(key), std::string::npos) << config.error().message;
}

TEST(GgufTokenizer, AnErrorNamesTheKey) {
  expect_refusal(GgufWriter{}, "tokenizer.ggml.model");

  GgufWriter no_pre_tokenizer;
  no_pre_tokenizer.string("tokenizer.ggml.model", "gpt2");
  no_pre_tokenizer.strings("tokenizer.ggml.tokens", {"a"});
  expect_refusal(no_pre_tokenizer, "tokenizer.ggml.pre");

  GgufWriter wrong_type = small_file();
  wrong_type.string("tokenizer.ggml.add_bos_token", "yes");
  expect_refusal(wrong_type, "tokenizer.ggml.add_bos_token");
}

TEST(GgufTokenizer, NumbersThatFitNoIdOrKindAreRefused) {
  for (const std::int64_t id : {std::int64_t{-1}, std::int64_t{1} << 31, std::int64_t{1} << 32}) {
    GgufWriter writer = small_file();
    writer.int64("tokenizer.ggml.eos_token_id", id);
    expect_refusal(writer, "tokenizer.ggml.eos_token_id has the value " + std::to_string(id));
  }
  for (const std::int32_t type : {0, 7, -1}) {
    GgufWriter writer;
    writer.string("tokenizer.ggml.model", "llama");
    writer.strings("tokenizer.ggml.tokens", {"a"});
    writer.int32s("tokenizer.ggml.token_type", {type});
    expect_refusal(writer, "tokenizer.ggml.token_type has the value " + std::to_string(type));
  }
}

}  // namespace
}  // namespace mie
