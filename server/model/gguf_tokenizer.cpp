#include "server/model/gguf_tokenizer.h"

#include "models/weights/gguf.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mie {
namespace {

// Each ends the output: of a text, of a turn, of a message that waits for a tool.
constexpr std::array<std::string_view, 3> kEosKeys = {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                                                      "tokenizer.ggml.eom_token_id"};

// tokenizer.ggml.token_type counts from 1.
constexpr std::array kKindOfType = {TokenKind::kNormal,      TokenKind::kUnknown, TokenKind::kControl,
                                    TokenKind::kUserDefined, TokenKind::kUnused,  TokenKind::kByte};

Error unfit(std::string_view key, std::int64_t value) {
  return {Errc::kModelFormat, std::string(key) + " has the value " + std::to_string(value) + ", which is not possible"};
}

Result<void> read_strings(const GgufMetadata& metadata, std::string_view key, std::vector<std::string>& out) {
  const auto strings = metadata.strings(key);
  if (!strings) return strings.error();
  out.assign(strings->begin(), strings->end());
  return {};
}

Result<void> read_kinds(const GgufMetadata& metadata, TokenizerConfig& config) {
  constexpr std::string_view kKey = "tokenizer.ggml.token_type";
  if (!metadata.contains(kKey)) {
    config.kinds.assign(config.tokens.size(), TokenKind::kNormal);
    return {};
  }
  const auto types = metadata.integers(kKey);
  if (!types) return types.error();
  config.kinds.reserve(types->size());
  for (const std::int64_t type : *types) {
    if (type < 1 || type > std::int64_t{kKindOfType.size()}) return unfit(kKey, type);
    config.kinds.push_back(kKindOfType[static_cast<std::size_t>(type - 1)]);
  }
  return {};
}

// Adds the id under `key`, if the file has one, unless it is there already.
Result<void> read_id(const GgufMetadata& metadata, std::string_view key, std::vector<TokenId>& ids) {
  if (!metadata.contains(key)) return {};
  const auto value = metadata.integer(key);
  if (!value) return value.error();
  if (*value < 0 || *value > std::numeric_limits<TokenId::rep>::max()) return unfit(key, *value);
  const TokenId id(static_cast<TokenId::rep>(*value));
  if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  return {};
}

Result<void> read_special_ids(const GgufMetadata& metadata, TokenizerConfig& config) {
  if (auto read = read_id(metadata, "tokenizer.ggml.bos_token_id", config.bos_id); !read) return read.error();
  for (const std::string_view key : kEosKeys) {
    if (auto read = read_id(metadata, key, config.eos_ids); !read) return read.error();
  }
  const auto add_bos = metadata.boolean_or("tokenizer.ggml.add_bos_token", false);
  if (!add_bos) return add_bos.error();
  const auto add_eos = metadata.boolean_or("tokenizer.ggml.add_eos_token", false);
  if (!add_eos) return add_eos.error();
  config.add_bos = *add_bos;
  config.add_eos = *add_eos;
  return {};
}

}  // namespace

Result<TokenizerConfig> tokenizer_config(const GgufFile& file) {
  const GgufMetadata& metadata = file.metadata();
  TokenizerConfig config;
  const auto model = metadata.string("tokenizer.ggml.model");
  if (!model) return model.error();
  config.model = *model;
  if (auto read = read_strings(metadata, "tokenizer.ggml.tokens", config.tokens); !read) return read.error();
  if (auto read = read_kinds(metadata, config); !read) return read.error();
  if (auto read = read_special_ids(metadata, config); !read) return read.error();
  if (config.model == "gpt2") {  // the other models have neither
    const auto pre_tokenizer = metadata.string("tokenizer.ggml.pre");
    if (!pre_tokenizer) return pre_tokenizer.error();
    config.pre_tokenizer = *pre_tokenizer;
    if (auto read = read_strings(metadata, "tokenizer.ggml.merges", config.merges); !read) return read.error();
  }
  return config;
}

}  // namespace mie
