// Attention over paged K and V, over the `Vec` of the including unit; decode and prefill are the same arithmetic. Per tile
// of 64 absolute positions: scores, mask, maximum, rescale, probabilities rounded to bf16 (the rounded ones are summed),
// output. Lanes are tokens for the scores and dimensions for the output. A masked tile changes nothing, so skipping it is
// bit-neutral, and no bit depends on the page size.
// Not alone because the vector type `Vec` comes from the including ISA unit.
#pragma once

#include "models/native/kernels/elementwise.h"
#include "models/native/kernels/kernel_table.h"
#include "models/native/kernels/unroll.h"

namespace {

using mie::native::AttnPartial;
using mie::native::AttnTask;
using mie::native::kAttnTile;
using mie::native::KvHead;

constexpr int kTokenVecs = kAttnTile / 16;

// Tile and offset of a position. Example, page 64, tile 32: position 100 is slot 36 of page 1, so tile 1, offset 4.
struct TokenPlace {
  const std::byte* tile;
  int offset;
};
MIE_INLINE inline TokenPlace place(const KvHead& kv, int position) {
  const int slot = position % kv.page_tokens;
  const std::byte* page = kv.pages + kv.block_table[position / kv.page_tokens] * kv.page_stride;
  return {page + std::int64_t{slot / kv.tile} * kv.tile * kv.head_dim * 4, slot % kv.tile};
}

// Sixteen tokens of K: at `pair` * `stride` bytes, 16 tokens x 2 dimensions. Pages of 8 tokens give two halves.
struct KeyVec {
  const std::byte *lo, *hi;
  int stride;
};
MIE_INLINE inline KeyVec key_vec(const KvHead& kv, int position) {
  const TokenPlace at = place(kv, position);
  const std::byte* lo = at.tile + at.offset * 4;
  const std::byte* hi = kv.tile >= 16 ? lo + 32 : place(kv, position + 8).tile;
  return {lo, hi, kv.tile * 4};
}

template <int R>
struct AttnRows {
  const std::uint16_t* q[R];
  std::int32_t last[R];
  float max[R], sum[R];
  alignas(64) std::uint16_t p[R][kAttnTile];  // probabilities of the tile
  float rescale[R];
};

// Scores of R rows against n_vecs * 16 tokens; the vectors past n_vecs are not read.
template <int R>
MIE_INLINE inline void scores(const KvHead& kv, const AttnRows<R>& rows, const KeyVec (&keys)[kTokenVecs], int n_vecs,
                              Vec::F32 (&s)[R][kTokenVecs]) {
  unroll<R>([&](auto r) MIE_INLINE { unroll<kTokenVecs>([&](auto v) MIE_INLINE { s[r][v] = Vec::zero(); }); });
  for (int pair = 0; pair < kv.head_dim / 2; ++pair) {
    unroll<kTokenVecs>([&](auto v) MIE_INLINE {
      if (v < n_vecs) {
        const std::int64_t at = std::int64_t{pair} * keys[v].stride;
        const auto k = Vec::bf16_pair(Vec::load32x2(keys[v].lo + at, keys[v].hi + at));
        unroll<R>([&](auto r) MIE_INLINE { s[r][v] = Vec::dot_pair(s[r][v], k, rows.q[r] + 2 * pair); });
      }
    });
  }
}

// Masks, updates max and sum, and leaves the rounded probabilities in p. A row that sees nothing yet keeps max = -inf.
template <int R>
MIE_INLINE inline void softmax_tile(const AttnTask& task, int start, int n_vecs, Vec::F32 (&s)[R][kTokenVecs],
                                    AttnRows<R>& rows) {
  constexpr float kNever = -__builtin_inff();
  unroll<R>([&](auto r) MIE_INLINE {
    auto largest = Vec::set1(kNever);
    unroll<kTokenVecs>([&](auto v) MIE_INLINE {
      const int visible = v < n_vecs ? rows.last[r] + 1 - start - 16 * v : 0;
      s[r][v] = Vec::first_lanes(visible < 0 ? 0 : visible, Vec::mul(s[r][v], Vec::set1(task.scale)), Vec::set1(kNever));
      largest = Vec::max(largest, s[r][v]);
    });
    const float tile_max = Vec::max_lanes(largest);
    const float new_max = tile_max > rows.max[r] ? tile_max : rows.max[r];
    const float base = new_max == kNever ? 0.0F : new_max;  // -inf - 0: every lane vanishes
    rows.rescale[r] = rows.max[r] == kNever ? 0.0F : Vec::first(exp_f32(Vec::set1(rows.max[r] - new_max)));
    auto total = Vec::zero();
    unroll<kTokenVecs>([&](auto v) MIE_INLINE {
      const auto p = Vec::round_to_bf16(exp_f32(Vec::sub(s[r][v], Vec::set1(base))));
      Vec::store_bf16(rows.p[r] + 16 * v, p);
      total = Vec::add(total, p);
    });
    rows.sum[r] = rows.sum[r] * rows.rescale[r] + Vec::sum_lanes(total);
    rows.max[r] = new_max;
  });
}

// out = out * rescale + P V over n_pairs token pairs, 64 dimensions at a time.
template <int R, int DimVecs>
MIE_INLINE inline void add_values(const KvHead& kv, const std::byte* const* values, int n_pairs, int dim,
                                  const AttnRows<R>& rows, float* out) {
  Vec::F32 o[R][DimVecs];
  unroll<R>([&](auto r) MIE_INLINE {
    unroll<DimVecs>([&](auto d) MIE_INLINE {
      o[r][d] = Vec::mul(Vec::load(out + r * kv.head_dim + dim + 16 * d), Vec::set1(rows.rescale[r]));
    });
  });
  for (int pair = 0; pair < n_pairs; ++pair) {
    unroll<DimVecs>([&](auto d) MIE_INLINE {
      const std::byte* at = values[pair] + dim * 4 + d * 64;
      const auto v = Vec::bf16_pair(Vec::load32x2(at, at + 32));
      unroll<R>([&](auto r) MIE_INLINE { o[r][d] = Vec::dot_pair(o[r][d], v, rows.p[r] + 2 * pair); });
    });
  }
  unroll<R>([&](auto r) MIE_INLINE {
    unroll<DimVecs>([&](auto d) MIE_INLINE { Vec::store(out + r * kv.head_dim + dim + 16 * d, o[r][d]); });
  });
}

template <int R>
__attribute__((noinline)) void attend_rows(const KvHead& kv, const AttnTask& task, const AttnPartial& result) {
  AttnRows<R> rows;
  int last_seen = -1;
  for (int r = 0; r < R; ++r) {
    rows.q[r] = task.q[r];
    rows.last[r] = task.row_last[r];
    rows.max[r] = -__builtin_inff();
    rows.sum[r] = 0;
    if (rows.last[r] > last_seen) last_seen = rows.last[r];
  }
  __builtin_memset(result.out, 0, sizeof(float) * static_cast<std::size_t>(R * kv.head_dim));
  const int end = task.last < last_seen + 1 ? task.last : last_seen + 1;  // positions past it are masked for every row
  for (int start = task.first; start < end; start += kAttnTile) {
    const int n = end - start < kAttnTile ? end - start : kAttnTile;
    const int n_vecs = (n + 15) / 16, n_pairs = (n + 1) / 2;
    KeyVec keys[kTokenVecs];
    for (int v = 0; v < n_vecs; ++v) keys[v] = key_vec(kv, start + 16 * v);
    const std::byte* values[kAttnTile / 2];
    for (int pair = 0; pair < n_pairs; ++pair) {
      const TokenPlace at = place(kv, start + 2 * pair);
      values[pair] = at.tile + std::int64_t{kv.tile} * kv.head_dim * 2 + std::int64_t{at.offset / 2} * kv.head_dim * 4;
    }
    Vec::F32 s[R][kTokenVecs];
    scores<R>(kv, rows, keys, n_vecs, s);
    softmax_tile<R>(task, start, n_vecs, s, rows);
    int dim = 0;
    for (; dim + 64 <= kv.head_dim; dim += 64) add_values<R, 4>(kv, values, n_pairs, dim, rows, result.out);
    for (; dim < kv.head_dim; dim += 16) add_values<R, 1>(kv, values, n_pairs, dim, rows, result.out);
  }
  for (int r = 0; r < R; ++r) {
    result.max[r] = rows.max[r];
    result.sum[r] = rows.sum[r];
  }
}

void attend(const KvHead& kv, const AttnTask& task, const AttnPartial& result) {
  switch (task.n_rows) {
    case 1:
      return attend_rows<1>(kv, task, result);
    case 2:
      return attend_rows<2>(kv, task, result);
    case 3:
      return attend_rows<3>(kv, task, result);
    case 4:
      return attend_rows<4>(kv, task, result);
    case 5:
      return attend_rows<5>(kv, task, result);
    default:
      return attend_rows<mie::native::kAttnRows>(kv, task, result);
  }
}

void combine(int head_dim, float& max, float& sum, float* out, float b_max, float b_sum, const float* b_out) {
  if (b_max == -__builtin_inff()) return;
  const float new_max = b_max > max ? b_max : max;
  const float a_scale = max == -__builtin_inff() ? 0.0F : Vec::first(exp_f32(Vec::set1(max - new_max)));
  const float b_scale = Vec::first(exp_f32(Vec::set1(b_max - new_max)));
  for (int d = 0; d < head_dim; d += 16) {
    Vec::store(out + d, Vec::fma(Vec::load(b_out + d), Vec::set1(b_scale), Vec::mul(Vec::load(out + d), Vec::set1(a_scale))));
  }
  sum = sum * a_scale + b_sum * b_scale;
  max = new_max;
}

void normalise(int head_dim, float sum, float* out) {
  const auto divisor = Vec::set1(sum);
  for (int d = 0; d < head_dim; d += 16) Vec::store(out + d, Vec::div(Vec::load(out + d), divisor));
}

}  // namespace
