// What is written to the page cache is where the layout says, whatever the order of the pages. The layout is restated here from
// kernels/kv_head.h, index by index.
#include "models/native/kv_pages.h"
#include "models/native/gathered_kv.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

namespace mie::native::testing {
namespace {

constexpr int kLayers = 2, kHeads = 2, kDim = 32, kBlocks = 4;
constexpr std::array<std::int32_t, 3> kTable = {2, 0, 3};  // not in a row

KvPages pages_of(int block_size) {
  ModelSpec spec;
  spec.n_layers = kLayers;
  spec.n_kv_heads = kHeads;
  spec.head_dim = kDim;
  return KvPages::make(spec, kBlocks, block_size).value();
}

// A number of its own for each (layer, head, position, dimension), of K or V.
std::uint16_t number(int layer, int head, int position, int d, bool value) {
  const int n = (((layer * kHeads + head) * 200 + position) * kDim + d) * 2 + (value ? 1 : 0);
  return static_cast<std::uint16_t>(n % 65521);
}

void write(const KvPages& pages, int layer, int head, int position) {
  std::array<std::uint16_t, kDim> k{}, v{};
  for (int d = 0; d < kDim; ++d) {
    k[static_cast<std::size_t>(d)] = number(layer, head, position, d, false);
    v[static_cast<std::size_t>(d)] = number(layer, head, position, d, true);
  }
  const KvHead kv = pages.head(layer, head, kTable.data());
  KvPages::store_key(kv, position, k);
  KvPages::store_value(kv, position, v);
}

// Page: tiles of min(page, 32) tokens. K tile [D/2][tile][2], V tile [tile/2][D][2] behind it.
std::uint16_t read(const KvHead& kv, int position, int d, int block_size, bool value) {
  const int tile = block_size < 32 ? block_size : 32;
  const int slot = position % block_size, t = slot % tile;
  const std::byte* page = kv.pages + kTable[static_cast<std::size_t>(position / block_size)] * kv.page_stride;
  const std::byte* at = page + std::ptrdiff_t{slot / tile} * tile * kDim * 4;
  const int index = value ? tile * kDim + ((t / 2) * kDim + d) * 2 + t % 2 : ((d / 2) * tile + t) * 2 + d % 2;
  std::uint16_t number = 0;
  std::memcpy(&number, at + std::ptrdiff_t{index} * 2, 2);
  return number;
}

// Token by token in order of position, as prefill and decode write, over three pages: 15, 16, 31 and 32 among them.
TEST(KvPages, EveryNumberIsReadBackFromWhereTheLayoutSays) {
  for (const int block_size : {8, 16, 32, 64}) {
    const KvPages pages = pages_of(block_size);
    const int n_tokens = 3 * block_size;
    for (int position = 0; position < n_tokens; ++position) {
      for (int layer = 0; layer < kLayers; ++layer) {
        for (int head = 0; head < kHeads; ++head) write(pages, layer, head, position);
      }
    }
    for (int layer = 0; layer < kLayers; ++layer) {
      for (int head = 0; head < kHeads; ++head) {
        const KvHead kv = pages.head(layer, head, kTable.data());
        for (int position = 0; position < n_tokens; ++position) {
          for (int d = 0; d < kDim; ++d) {
            ASSERT_EQ(read(kv, position, d, block_size, false), number(layer, head, position, d, false))
                << "K, B " << block_size << ", position " << position << ", dimension " << d;
            ASSERT_EQ(read(kv, position, d, block_size, true), number(layer, head, position, d, true))
                << "V, B " << block_size << ", position " << position << ", dimension " << d;
          }
        }
      }
    }
  }
}

// 4 blocks of 16 tokens, 2 layers of 2 heads of 32 dimensions, K and V of two bytes.
TEST(KvPages, TakeTheBytesOfTheirTokens) { EXPECT_EQ(pages_of(16).bytes(), 4 * 16 * 2 * 2 * 32 * 2 * 2); }

TEST(KvPages, APageHoldsNothingOfAnothers) {
  const KvPages pages = pages_of(16);
  write(pages, 0, 0, 16);  // the first slot of the second page
  const KvHead kv = pages.head(0, 0, kTable.data());
  for (const int position : {0, 15, 17, 31, 32, 47}) {
    for (int d = 0; d < kDim; ++d) {
      EXPECT_EQ(read(kv, position, d, 16, false), 0) << position;
      EXPECT_EQ(read(kv, position, d, 16, true), 0) << position;
    }
  }
}

TEST(GatheredKv, IsWhatThePagesHoldInOnePiece) {
  for (const int block_size : {8, 16, 32, 64}) {
    const KvPages pages = pages_of(block_size);
    const int n_tokens = 3 * block_size - 3;
    for (int position = 0; position < n_tokens; ++position) write(pages, 1, 1, position);
    std::vector<std::byte> room(gathered_bytes(n_tokens, kDim));
    const KvHead kv = gather(pages.head(1, 1, kTable.data()), block_size, n_tokens, room);
    EXPECT_EQ(kv.pages, room.data());
    for (int position = block_size; position < n_tokens; ++position) {
      for (int d = 0; d < kDim; ++d) {
        ASSERT_EQ(KvPages::key(kv, position, d), number(1, 1, position, d, false)) << block_size << ": " << position;
        ASSERT_EQ(KvPages::value(kv, position, d), number(1, 1, position, d, true)) << block_size << ": " << position;
      }
    }
  }
}

// 33 tokens take two tiles of 32, K and V of two bytes.
TEST(GatheredKv, TakesWholeTiles) { EXPECT_EQ(gathered_bytes(33, kDim), std::size_t{2} * 32 * kDim * 2 * 2); }

}  // namespace
}  // namespace mie::native::testing
