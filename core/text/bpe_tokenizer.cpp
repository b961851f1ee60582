#include "core/text/bpe_tokenizer.h"

#include "core/base/ensure.h"
#include "core/text/byte_alphabet.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace mie {
namespace {

using Vocabulary = boost::unordered_flat_map<std::string_view, TokenId>;

TokenId token_id(std::size_t index) { return TokenId(static_cast<std::int32_t>(index)); }

Error contradiction(const std::string& what) { return {Errc::kModelFormat, "tokenizer: " + what}; }

bool in_vocabulary(TokenId id, std::size_t n_vocab) {
  return id.value() >= 0 && static_cast<std::size_t>(id.value()) < n_vocab;
}

Result<void> check_sizes_and_ids(const TokenizerConfig& config) {
  const std::size_t n = config.tokens.size();
  if (n == 0) return contradiction("the vocabulary is empty");
  if (n > std::numeric_limits<std::int32_t>::max()) return contradiction("the vocabulary has more than 2^31 tokens");
  if (config.merges.size() > std::numeric_limits<std::int32_t>::max()) return contradiction("more than 2^31 merges");
  if (config.kinds.size() != n) {
    return contradiction(std::to_string(n) + " tokens but " + std::to_string(config.kinds.size()) + " token kinds");
  }
  if (config.bos_id.size() > 1) return contradiction("more than one BOS id");
  for (const auto* ids : {&config.bos_id, &config.eos_ids}) {
    for (const TokenId id : *ids) {
      if (in_vocabulary(id, n)) continue;
      return contradiction("id " + std::to_string(id.value()) + " is outside of the vocabulary of " + std::to_string(n));
    }
  }
  return {};
}

// Written text → id. Unused entries are not in it: they stand for nothing and may repeat.
Result<Vocabulary> vocabulary_of(const TokenizerConfig& config) {
  Vocabulary vocabulary;
  vocabulary.reserve(config.tokens.size());
  for (std::size_t i = 0; i < config.tokens.size(); ++i) {
    if (config.kinds[i] == TokenKind::kUnused) continue;
    const auto [entry, is_new] = vocabulary.emplace(config.tokens[i], token_id(i));
    if (is_new) continue;
    return contradiction("tokens " + std::to_string(entry->second.value()) + " and " + std::to_string(i) + " are the same");
  }
  return vocabulary;
}

void check_literal(std::span<const ByteRange> literal, std::size_t n_bytes) {
  std::size_t end = 0;
  for (const ByteRange& range : literal) {
    ENSURE(range.begin >= end && range.end >= range.begin && range.end <= n_bytes, "literal ranges out of order or bounds");
    end = range.end;
  }
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> BpeTokenizer::make(TokenizerConfig config) {
  if (auto checked = check_sizes_and_ids(config); !checked) return checked.error();
  auto pretokenizer = Pretokenizer::make(config.pre_tokenizer);
  if (!pretokenizer) return pretokenizer.error();
  std::unique_ptr<BpeTokenizer> tokenizer(new BpeTokenizer(std::move(config), std::move(*pretokenizer)));
  if (auto read = tokenizer->read_merges(); !read) return read.error();
  if (auto read = tokenizer->read_tokens(); !read) return read.error();
  tokenizer->config_.tokens = {};
  tokenizer->config_.merges = {};
  return std::unique_ptr<Tokenizer>(std::move(tokenizer));
}

// Every EOS counts as a control token, whatever the file says of it: text from a client must not end a turn.
BpeTokenizer::BpeTokenizer(TokenizerConfig config, Pretokenizer pretokenizer)
    : config_(std::move(config)), pretokenizer_(std::move(pretokenizer)) {
  for (const TokenId id : config_.eos_ids) config_.kinds[index(id)] = TokenKind::kControl;
}

Result<void> BpeTokenizer::read_merges() {
  const auto vocabulary = vocabulary_of(config_);
  if (!vocabulary) return vocabulary.error();
  const ByteAlphabet alphabet;
  for (std::size_t byte = 0; byte < byte_ids_.size(); ++byte) {
    const auto token = vocabulary->find(alphabet.letter(static_cast<unsigned char>(byte)));
    if (token != vocabulary->end()) byte_ids_[byte] = token->second;
  }
  merges_.reserve(config_.merges.size());
  for (std::size_t rank = 0; rank < config_.merges.size(); ++rank) {
    const std::string_view written = config_.merges[rank];
    const std::size_t space = written.find(' ');
    if (space == std::string_view::npos) return contradiction("merge " + std::to_string(rank) + " is not a pair");
    const std::string_view left = written.substr(0, space), right = written.substr(space + 1);
    const auto left_id = vocabulary->find(left), right_id = vocabulary->find(right);
    const auto result = vocabulary->find(std::string(left) + std::string(right));
    for (const auto& token : {left_id, right_id, result}) {
      if (token == vocabulary->end()) return contradiction("merge " + std::to_string(rank) + " is of unknown tokens");
    }
    const BpeMerges::Merge merge{.rank = static_cast<std::int32_t>(rank), .result = result->second};
    if (!merges_.add(left_id->second, right_id->second, merge)) {
      return contradiction("merge " + std::to_string(rank) + " repeats an earlier one");
    }
  }
  return {};
}

Result<void> BpeTokenizer::read_tokens() {
  const ByteAlphabet alphabet;
  byte_offsets_.reserve(config_.tokens.size() + 1);
  byte_offsets_.push_back(0);
  for (std::size_t i = 0; i < config_.tokens.size(); ++i) {
    const std::string& written = config_.tokens[i];
    const TokenKind kind = config_.kinds[i];
    const bool control = kind == TokenKind::kControl || kind == TokenKind::kUnknown;
    const bool added = control || kind == TokenKind::kUserDefined;
    if (added && !written.empty()) added_.add(written, token_id(i), control);
    if (kind != TokenKind::kUnused) {
      // Added tokens are stored as they are, and so are ordinary ones that are not in the alphabet.
      const auto bytes = added ? std::nullopt : alphabet.bytes(written);
      bytes_ += bytes ? *bytes : written;
    }
    max_token_bytes_ = std::max(max_token_bytes_, bytes_.size() - byte_offsets_.back());
    byte_offsets_.push_back(bytes_.size());
  }
  bytes_.shrink_to_fit();
  return {};
}

std::vector<TokenId> BpeTokenizer::encode(std::string_view text, std::span<const ByteRange> literal) const {
  check_literal(literal, text.size());
  std::vector<TokenId> ids;
  BpeMerger merger(merges_);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto added = added_.find(text, begin, literal);
    const std::size_t end = added ? added->at.begin : text.size();
    encode_plain(text.substr(begin, end - begin), merger, ids);
    if (!added) break;
    ids.push_back(added->id);
    begin = added->at.end;
  }
  return ids;
}

void BpeTokenizer::encode_plain(std::string_view text, BpeMerger& merger, std::vector<TokenId>& ids) const {
  std::vector<TokenId> word;
  for (const std::string_view piece : pretokenizer_.split(text)) {
    word.clear();
    for (const char byte : piece) {
      if (const auto& id = byte_ids_[static_cast<unsigned char>(byte)]) word.push_back(*id);
    }
    merger.merge(word, ids);
  }
}

std::size_t BpeTokenizer::index(TokenId id) const {
  ENSURE(in_vocabulary(id, config_.kinds.size()), "token id outside of the vocabulary");
  return static_cast<std::size_t>(id.value());
}

std::string_view BpeTokenizer::token_bytes(TokenId id) const {
  const std::size_t i = index(id);
  return std::string_view(bytes_).substr(byte_offsets_[i], byte_offsets_[i + 1] - byte_offsets_[i]);
}

TokenKind BpeTokenizer::kind(TokenId id) const { return config_.kinds[index(id)]; }

}  // namespace mie
