#include "kv/prefix_index.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace mie {
namespace {

// One round of a multiply-and-fold hash (Wang Yi's wyhash): every bit of both words reaches every bit of the result.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a ^ 0xA0761D6478BD642FULL) * (b ^ 0xE7037ED1A0B428DBULL);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

}  // namespace

PrefixIndex::PrefixIndex(BlockPool& pool, int block_size, std::uint64_t secret)
    : pool_(pool),
      block_size_(block_size),
      secret_(secret),
      entries_(static_cast<std::size_t>(pool.n_blocks())),
      tokens_(static_cast<std::size_t>(pool.n_blocks()) * static_cast<std::size_t>(block_size)),
      buckets_(std::bit_ceil(static_cast<std::size_t>(pool.n_blocks()) + 1), -1) {
  ENSURE(block_size >= 1, "blocks of " + std::to_string(block_size) + " tokens");
}

void PrefixIndex::find(std::span<const TokenId> tokens, std::string_view salt, int n_most, PrefixMatch& match) const {
  const bool whole = match.blocks.empty() || entry(match.blocks.back()).id == match.last;
  if (!whole) match.blocks.clear();
  if (match.blocks.empty()) match.last = 0;
  const auto length = static_cast<std::size_t>(block_size_);
  while (static_cast<int>(match.blocks.size()) < n_most && (match.blocks.size() + 1) * length <= tokens.size()) {
    const auto block = look_up(key(match.last, salt, tokens.subspan(match.blocks.size() * length, length)));
    if (block < 0) return;
    match.blocks.emplace_back(block);
    match.last = entry(match.blocks.back()).id;
  }
}

BlockId PrefixIndex::add(std::span<const TokenId> tokens, std::string_view salt, std::optional<BlockId> before, BlockId block) {
  const std::uint64_t id_before = before ? entry(*before).id : 0;
  ENSURE(!before || id_before != 0, "a chain is indexed from its front");
  ENSURE(!indexed(block), "block " + std::to_string(block.value()) + " is indexed already");
  const Key wanted = key(id_before, salt, tokens.last(static_cast<std::size_t>(block_size_)));
  if (const auto known = look_up(wanted); known >= 0) return BlockId(known);
  Entry& added = entries_.at(static_cast<std::size_t>(block.value()));
  added.salt = wanted.salt;  // the last thing here that can throw
  pool_.keep(block);
  std::copy(wanted.tokens.begin(), wanted.tokens.end(), tokens_.begin() + std::ptrdiff_t{block.value()} * block_size_);
  added.id = ++last_id_;
  added.before = id_before;
  added.hash = wanted.hash;
  added.next = std::exchange(bucket(wanted.hash), block.value());
  return block;
}

int PrefixIndex::make_free(int n) {
  int n_evicted = 0;
  for (; pool_.n_free() < n; ++n_evicted) {
    const auto oldest = pool_.oldest_cached();
    if (!oldest) break;
    erase(*oldest);
    pool_.forget(*oldest);
  }
  return n_evicted;
}

void PrefixIndex::erase(BlockId block) {
  Entry& erased = entries_.at(static_cast<std::size_t>(block.value()));
  std::int32_t* place = &bucket(erased.hash);
  while (*place != block.value()) place = &entries_[static_cast<std::size_t>(*place)].next;
  *place = erased.next;
  erased.id = 0;
  erased.salt.clear();
}

void PrefixIndex::check() const {
  std::vector<std::uint64_t> ids;
  for (const Entry& entry : entries_) {
    if (entry.id != 0) ids.push_back(entry.id);
  }
  std::sort(ids.begin(), ids.end());
  for (std::int32_t block = 0; block < pool_.n_blocks(); ++block) {
    const Entry& known = entry(BlockId(block));
    const std::string named = "block " + std::to_string(block);
    ENSURE((known.id != 0) == pool_.kept(BlockId(block)), named + " is indexed and not kept, or kept and not indexed");
    if (known.id == 0) continue;
    ENSURE(known.before == 0 || std::binary_search(ids.begin(), ids.end(), known.before), named + " follows no indexed block");
    ENSURE(look_up(key(known.before, known.salt, tokens_of(block))) == block, named + " cannot be found by its content");
  }
}

PrefixIndex::Key PrefixIndex::key(std::uint64_t before, std::string_view salt, std::span<const TokenId> tokens) const {
  if (before != 0) salt = {};
  std::uint64_t hash = fold(secret_, before);
  for (const char c : salt) hash = fold(hash, static_cast<unsigned char>(c) + 1ULL);
  for (const TokenId token : tokens) hash = fold(hash, static_cast<std::uint32_t>(token.value()));
  return {before, salt, tokens, hash};
}

std::int32_t PrefixIndex::look_up(const Key& key) const {
  std::int32_t block = buckets_[key.hash & (buckets_.size() - 1)];
  for (; block >= 0; block = entries_[static_cast<std::size_t>(block)].next) {
    const Entry& known = entries_[static_cast<std::size_t>(block)];
    if (known.hash == key.hash && known.before == key.before && known.salt == key.salt &&
        std::ranges::equal(tokens_of(block), key.tokens))
      break;
  }
  return block;
}

std::span<const TokenId> PrefixIndex::tokens_of(std::int32_t block) const {
  const auto length = static_cast<std::size_t>(block_size_);
  return std::span(tokens_).subspan(static_cast<std::size_t>(block) * length, length);
}

}  // namespace mie
