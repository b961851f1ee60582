// Attention on AMX tiles: K pages are weight tiles for the scores as they lie (lanes = tokens), V pages for the output (lanes =
// dimensions). The softmax between them is that of attention_tile.h. Every row count takes the same instructions, so decode
// and prefill agree.
// Not alone because `Vec` comes from the AMX unit.
#pragma once

#include "models/native/kernels/amx_tiles.h"
#include "models/native/kernels/attention_tile.h"

namespace {

using mie::native::kAttnRows;

struct AmxAttnScratch {
  alignas(64) float scores[kAttnRows][kAttnTile];
  alignas(64) float out[kAttnRows][kAttnTile];  // 64 dimensions of P V
  alignas(64) std::uint16_t p[kAttnRows][kAttnTile];
  alignas(64) std::byte gathered[16][64];  // a weight tile that does not lie evenly spaced in the pages
  SoftmaxState state[kAttnRows];
};

// Tile 6: 16 tokens of K from `position` on, dimensions [dim, dim + 32).
MIE_INLINE inline void load_key_tile(const KvHead& kv, int position, int end, int dim, AmxAttnScratch& scratch) {
  const KeyVec keys = key_vec(kv, position, end);
  const std::int64_t stride = kv.tile * 4, first = dim / 2 * stride;
  if (kv.tile >= 16) {
    _tile_loadd(6, keys.lo + first, static_cast<std::size_t>(stride));
    return;
  }
  for (int row = 0; row < 16; ++row) {
    const std::int64_t at = first + row * stride;
    _mm512_store_si512(scratch.gathered[row], Vec::load32x2(keys.lo + at, keys.hi + at));
  }
  _tile_loadd(6, scratch.gathered, 64);
}

// Tile 6: 32 tokens of V from `position` on, dimensions [dim, dim + 16). Pairs past the first n_pairs are zero: what lies there
// may not be finite.
MIE_INLINE inline void load_value_tile(const KvHead& kv, int position, int n_pairs, int dim, AmxAttnScratch& scratch) {
  if (kv.tile == 32 && n_pairs >= 16) {
    _tile_loadd(6, value_pair(kv, position) + dim * 4, static_cast<std::size_t>(kv.head_dim) * 4);
    return;
  }
  for (int pair = 0; pair < 16; ++pair) {
    const auto row = pair < n_pairs ? Vec::load64(value_pair(kv, position + 2 * pair) + dim * 4) : _mm512_setzero_si512();
    _mm512_store_si512(scratch.gathered[pair], row);
  }
  _tile_loadd(6, scratch.gathered, 64);
}

// A weight tile's worth of the next pages.
MIE_INLINE inline void fetch_tile(const NextPages& next, std::int64_t at) {
  unroll<4>([&](auto i) MIE_INLINE { next.fetch(at + i * 128); });
}

// Calls f(constant) for the tiles 0 ... n - 1 of four.
template <class F>
MIE_INLINE inline void each_sum(int n, F f) {
  unroll<4>([&](auto i) MIE_INLINE {
    if (i < n) f(i);
  });
}

// Against positions [start, end), at most a tile of them.
__attribute__((noinline)) void attend_scores_amx(const KvHead& kv, const AttnTask& task, int start, int end,
                                                 const NextPages& next, AmxAttnScratch& scratch) {
  const int n_vecs = (end - start + 15) / 16;
  each_sum(4, [&](auto v) MIE_INLINE { _tile_zero(v.value); });
  for (int dim = 0; dim < kv.head_dim; dim += 32) {
    _tile_loadd(4, task.q + dim, static_cast<std::size_t>(kv.head_dim) * 2);
    each_sum(n_vecs, [&](auto v) MIE_INLINE {
      load_key_tile(kv, start + 16 * v, end, dim, scratch);
      fetch_tile(next, dim * 64 + v * 512);
      _tile_dpbf16ps(v.value, 4, 6);
    });
  }
  each_sum(4, [&](auto v) MIE_INLINE { _tile_stored(v.value, &scratch.scores[0][16 * v], kAttnTile * 4); });
}

__attribute__((noinline)) void attend_softmax_amx(const AttnTask& task, int start, AmxAttnScratch& scratch) {
  for (int r = 0; r < task.n_rows; ++r) {
    Vec::F32 s[kTokenVecs];
    unroll<kTokenVecs>([&](auto v) MIE_INLINE { s[v] = Vec::load(&scratch.scores[r][16 * v]); });
    softmax_row(s, task.row_last[r] + 1 - start, task.scale, scratch.state[r], scratch.p[r]);
  }
}

// Token pairs [start, start + 2 * n_pairs) of V.
struct AttnValues {
  int start, n_pairs, n_rows;
};

// out = out * rescale + P V for up to 64 dimensions from `dim` on.
__attribute__((noinline)) void attend_values_amx(const KvHead& kv, const AttnValues& values, int dim, const NextPages& next,
                                                 float* out, AmxAttnScratch& scratch) {
  const auto [start, n_pairs, n_rows] = values;
  const int n_vecs = (kv.head_dim - dim) / 16;
  each_sum(n_vecs, [&](auto d) MIE_INLINE { _tile_zero(d.value); });
  for (int pair = 0; pair < n_pairs; pair += 16) {
    _tile_loadd(4, &scratch.p[0][2 * pair], kAttnTile * 2);
    each_sum(n_vecs, [&](auto d) MIE_INLINE {
      load_value_tile(kv, start + 2 * pair, n_pairs - pair, dim + 16 * d, scratch);
      fetch_tile(next, kv.values_at() + dim * 64 + pair * 128 + d * 512);
      _tile_dpbf16ps(d.value, 4, 6);
    });
  }
  each_sum(n_vecs, [&](auto d) MIE_INLINE { _tile_stored(d.value, &scratch.out[0][16 * d], kAttnTile * 4); });
  for (int r = 0; r < n_rows; ++r) {
    const auto rescale = Vec::set1(scratch.state[r].rescale);
    each_sum(n_vecs, [&](auto d) MIE_INLINE {
      float* to = out + r * kv.head_dim + dim + 16 * d;
      Vec::store(to, Vec::fma(Vec::load(to), rescale, Vec::load(&scratch.out[r][16 * d])));
    });
  }
}

void attend_amx(const KvHead& kv, const AttnTask& task, const AttnPartial& result) {
  AmxAttnScratch scratch;
  configure(task.n_rows, 2 * kGroup);
  __builtin_memset(result.out, 0, sizeof(float) * static_cast<std::size_t>(task.n_rows * kv.head_dim));
  const int end = last_visible(task);
  for (int start = task.first; start < end; start += kAttnTile) {
    const int n = end - start < kAttnTile ? end - start : kAttnTile;
    const NextPages next(kv, start, end);
    attend_scores_amx(kv, task, start, start + n, next, scratch);
    attend_softmax_amx(task, start, scratch);
    for (int dim = 0; dim < kv.head_dim; dim += 64) {
      attend_values_amx(kv, {start, (n + 1) / 2, task.n_rows}, dim, next, result.out, scratch);
    }
  }
  _tile_release();
  for (int r = 0; r < task.n_rows; ++r) {
    result.max[r] = scratch.state[r].max;
    result.sum[r] = scratch.state[r].sum;
  }
}

}  // namespace
