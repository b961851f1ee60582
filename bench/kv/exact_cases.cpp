#include "bench/kv/exact_cases.h"

#include "bench/kv/capacity.h"
#include "bench/kv/sharing.h"
#include "core/base/ensure.h"
#include "kv/block_pool.h"
#include "kv/block_table.h"
#include "kv/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <list>
#include <set>

namespace mie::bench {
namespace {

// One case while it is worked out; stops measuring at the first error.
class Cases {
 public:
  explicit Cases(WithMemory memory) : memory_(memory) {}

  void add(ExactCase one) { cases_.push_back(std::move(one)); }

  // … and what `blocks` of a pool of `n_blocks` take.
  void add(ExactCase one, int block_size, int n_blocks, std::span<const BlockId> blocks) {
    if (memory_ == WithMemory::kYes && !error_) {
      const auto resident = resident_blocks(kv_shape(block_size), n_blocks, blocks);
      if (resident)
        one.resident = *resident;
      else
        error_ = resident.error();
    }
    add(std::move(one));
  }

  Result<std::vector<ExactCase>> finish() {
    if (error_) return *error_;
    return std::move(cases_);
  }

 private:
  WithMemory memory_;
  std::vector<ExactCase> cases_;
  std::optional<Error> error_;
};

// Sequences of these lengths on a pool.
struct Filled {
  Filled(std::span<const int> lengths, int n_blocks, int size) : pool(n_blocks), block_size(size) {
    for (const int length : lengths) {
      BlockTable& table = tables.emplace_back(pool, block_size);
      ENSURE(table.append(blocks_for(length, block_size)), "the case fits its pool");
      sequences.push_back({&table, length});
      blocks.insert(blocks.end(), table.blocks().begin(), table.blocks().end());
    }
  }
  [[nodiscard]] KvUsage usage() const { return usage_of(pool, block_size, sequences); }

  BlockPool pool;
  int block_size;
  std::list<BlockTable> tables{};
  std::vector<CachedTokens> sequences{};
  std::vector<BlockId> blocks{};
};

using Describe = std::string (*)(const KvUsage&);

struct LengthsCase {
  std::string what, expected;
  std::vector<int> lengths;
  int block_size, n_blocks;
  Describe describe;
};

void add_lengths(Cases& cases, const LengthsCase& one) {
  const Filled live(one.lengths, one.n_blocks, one.block_size);
  cases.add({.what = one.what,
             .expected = one.expected,
             .closed = one.describe(usage_of_lengths(one.lengths, one.block_size)),
             .live = one.describe(live.usage())},
            one.block_size, one.n_blocks, live.blocks);
}

std::string reserved_and_wasted(const KvUsage& usage) {
  return fmt::format("reserved {}, wasted {}, {:.2f} %", usage.reserved_slots, usage.wasted_slots(), 100 * usage.waste());
}

std::string blocks_and_waste(const KvUsage& usage) {
  return fmt::format("{} blocks, {} tokens, waste {}", usage.n_used_blocks, usage.reserved_slots, usage.wasted_slots());
}

std::string waste_fraction(const KvUsage& usage) { return fmt::format("{}/{}", usage.wasted_slots(), usage.reserved_slots); }

void add_fragmentation(Cases& cases) {
  const std::vector<int> lengths{64, 128, 256, 384};
  const std::string of = "lengths 64 128 256 384, ";
  const auto contiguous = [&](int size, const char* expected) {
    add_lengths(cases, {of + fmt::format("contiguous {}", size), expected, lengths, size, 4, reserved_and_wasted});
  };
  contiguous(512, "reserved 2048, wasted 1216, 59.38 %");
  contiguous(1024, "reserved 4096, wasted 3264, 79.69 %");
  contiguous(2048, "reserved 8192, wasted 7360, 89.84 %");
  add_lengths(cases, {of + "B = 16", "52 blocks, 832 tokens, waste 0", lengths, 16, 60, blocks_and_waste});
  add_lengths(cases, {"640 tokens in a block of 1024", "384/1024", {640}, 1024, 1, waste_fraction});
}

void add_lifecycles(Cases& cases) {
  constexpr int kBlocks = 4, kSize = 16, kTokens = 32, kLives = 100;
  BlockPool pool(kBlocks);
  std::string live;
  std::set<BlockId> touched;  // in any life
  for (int life = 0; life < kLives; ++life) {
    BlockTable first(pool, kSize), second(pool, kSize);
    ENSURE(first.append(blocks_for(kTokens, kSize)) && second.append(blocks_for(kTokens, kSize)), "4 blocks are there");
    for (const BlockTable* table : {&first, &second}) touched.insert(table->blocks().begin(), table->blocks().end());
    if (life == 0) live = fmt::format("free {}", pool.n_free());
  }
  pool.check();
  live += fmt::format(", after {} lifecycles {}", kLives, pool.n_free());
  const int n_free = kBlocks - 2 * blocks_for(kTokens, kSize);
  cases.add({.what = "4 blocks of 16, two sequences of 2 blocks",
             .expected = "free 0, after 100 lifecycles 4",
             .closed = fmt::format("free {}, after {} lifecycles {}", n_free, kLives, kBlocks),
             .live = live},
            kSize, kBlocks, std::vector(touched.begin(), touched.end()));
}

void add_positions(Cases& cases) {
  constexpr int kSize = 16;
  BlockPool pool(8);
  BlockTable table(pool, kSize);
  ENSURE(table.append(3), "3 blocks are there");
  std::vector<int> closed_blocks, closed_offsets, live_blocks, live_offsets;
  for (const int position : {0, 15, 16, 31, 32}) {
    closed_blocks.push_back(position / kSize);
    closed_offsets.push_back(position % kSize);
    const KvSlot slot = table.slot(position);
    const auto blocks = table.blocks();
    live_blocks.push_back(static_cast<int>(std::ranges::find(blocks, slot.block) - blocks.begin()));
    live_offsets.push_back(slot.offset);
  }
  const auto text = [](const std::vector<int>& blocks, const std::vector<int>& offsets) {
    return fmt::format("blocks {}; offsets {}", fmt::join(blocks, " "), fmt::join(offsets, " "));
  };
  cases.add({.what = "positions 0 15 16 31 32, B = 16",
             .expected = "blocks 0 0 1 1 2; offsets 0 15 0 15 0",
             .closed = text(closed_blocks, closed_offsets),
             .live = text(live_blocks, live_offsets)});
}

// 64 / 16 + 8 · ⌈40 / 16⌉ = 4 + 8 · 3.
void add_sharing(Cases& cases) {
  constexpr SharedPrefix kPrefix{.n_sequences = 8, .prefix_tokens = 64, .own_tokens = 40};
  const SharedPool live(kPrefix, 16);
  cases.add({.what = "8 sequences, prefix of 64 tokens, 40 of their own, B = 16",
             .expected = "28 blocks",
             .closed = fmt::format("{} blocks", blocks_with_sharing(kPrefix, 16)),
             .live = fmt::format("{} blocks", live.pool().n_used())},
            16, live.pool().n_blocks(), live.used_blocks());
}

}  // namespace

Result<std::vector<ExactCase>> exact_cases(WithMemory memory) {
  Cases cases(memory);
  add_fragmentation(cases);
  add_lifecycles(cases);
  add_positions(cases);
  add_sharing(cases);
  return cases.finish();
}

}  // namespace mie::bench
