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
using mie::native::TokenPlace;

constexpr int kTokenVecs = kAttnTile / 16;

// Sixteen tokens of K: at `pair` * `stride` bytes, 16 tokens x 2 dimensions. Pages of 8 tokens give two halves; the second has
// a page only when it has a token before `end`.
struct KeyVec {
  const std::byte *lo, *hi;
};
MIE_INLINE inline KeyVec key_vec(const KvHead& kv, int position, int end) {
  const TokenPlace at = kv.place(position);
  const std::byte* lo = at.tile + at.offset * 4;
  if (kv.tile >= 16) return {lo, lo + 32};
  return {lo, position + 8 < end ? kv.place(position + 8).tile : lo};
}
template <bool Halves>
MIE_INLINE inline Vec::Bytes load_keys(const KeyVec& keys, std::int64_t at) {
  if constexpr (Halves) return Vec::load32x2(keys.lo + at, keys.hi + at);
  return Vec::load64(keys.lo + at);
}

// The pages of the next tile, asked for while this one is worked on: a line of each of the two for a line that is read, since
// the processor does not look that far ahead by itself and pages lie anywhere. Only of pages whose tile is 32 tokens, the
// usual ones; otherwise, and behind the end, lines of the current page, which are there.
class NextPages {
 public:
  MIE_INLINE NextPages(const KvHead& kv, int start, int end) {
    for (int i = 0; i < 2; ++i) {
      const int position = start + kAttnTile + i * kAttnTile / 2;
      page_[i] = kv.place(kv.tile == kAttnTile / 2 && position < end ? position : start).tile;
    }
  }
  // 128 bytes of each at this offset.
  MIE_INLINE void fetch(std::int64_t at) const {
    unroll<2>([&](auto i) MIE_INLINE {
      __builtin_prefetch(page_[i] + at);
      __builtin_prefetch(page_[i] + at + 64);
    });
  }

 private:
  const std::byte* page_[2];
};

struct SoftmaxState {
  float max = -__builtin_inff(), sum = 0;
  float rescale = 0;  // what sums before the current tile are to be multiplied by
};

template <int R>
struct AttnRows {
  SoftmaxState state[R];
  alignas(64) std::uint16_t p[R][kAttnTile];  // probabilities of the tile, bf16
};

// Scores of R rows against the 16 * N tokens from vector First on.
template <int R, int First, int N, bool Halves>
MIE_INLINE inline void scores(const KvHead& kv, const std::uint16_t* q, const KeyVec (&keys)[kTokenVecs], const NextPages& next,
                              Vec::F32 (&s)[R][kTokenVecs]) {
  const int stride = kv.tile * 4;
  RowCursor<std::uint16_t, R> rows(q, kv.head_dim);
  each<R, N>([&](auto r, auto v) MIE_INLINE { s[r][First + v] = Vec::zero(); });
  for (std::int64_t at = 0; at < std::int64_t{kv.head_dim} / 2 * stride; at += stride, rows.advance(2)) {
    if constexpr (First == 0) next.fetch(at);
    if constexpr (R == 1) {  // nothing to share: one vector of K at a time
      unroll<N>([&](auto v) MIE_INLINE {
        const auto k = Vec::bf16_pair(load_keys<Halves>(keys[First + v], at));
        s[0][First + v] = Vec::dot_pair(s[0][First + v], k, rows.row(0));
      });
    } else {
      Vec::Pair k[N];
      unroll<N>([&](auto v) MIE_INLINE { k[v] = Vec::bf16_pair(load_keys<Halves>(keys[First + v], at)); });
      unroll<R>([&](auto r) MIE_INLINE {
        unroll<N>([&](auto v) MIE_INLINE { s[r][First + v] = Vec::dot_pair(s[r][First + v], k[v], rows.row(r)); });
      });
    }
  }
}

// Of the tile's first n_vecs vectors of tokens; the others are zero or a repetition.
template <int R, bool Halves>
MIE_INLINE inline void tile_scores(const KvHead& kv, const std::uint16_t* q, const KeyVec (&keys)[kTokenVecs], int n_vecs,
                                   const NextPages& next, Vec::F32 (&s)[R][kTokenVecs]) {
  each<R, kTokenVecs - 2>([&](auto r, auto v) MIE_INLINE { s[r][2 + v] = Vec::zero(); });
  if constexpr (Vec::kAttendVecs == 4) {
    n_vecs <= 2 ? scores<R, 0, 2, Halves>(kv, q, keys, next, s) : scores<R, 0, 4, Halves>(kv, q, keys, next, s);
  } else {
    scores<R, 0, 2, Halves>(kv, q, keys, next, s);
    if (n_vecs > 2) scores<R, 2, 2, Halves>(kv, q, keys, next, s);
  }
}

// One row of a tile: masks its scores, updates max and sum, and leaves the rounded probabilities in p. The row sees the first
// `visible` tokens of the tile, none when it is not positive. A row that sees nothing yet keeps max = -inf.
MIE_INLINE inline void softmax_row(Vec::F32 (&s)[kTokenVecs], int visible, float scale, SoftmaxState& state, std::uint16_t* p) {
  constexpr float kNever = -__builtin_inff();
  auto largest = Vec::set1(kNever);
  unroll<kTokenVecs>([&](auto v) MIE_INLINE {
    const int lanes = visible - 16 * v;
    s[v] = Vec::first_lanes(lanes < 0 ? 0 : lanes, Vec::mul(s[v], Vec::set1(scale)), Vec::set1(kNever));
    largest = Vec::max(largest, s[v]);
  });
  const float tile_max = Vec::max_lanes(largest);
  const float new_max = tile_max > state.max ? tile_max : state.max;
  const float base = new_max == kNever ? 0.0F : new_max;  // -inf - 0: every lane vanishes
  state.rescale = state.max == kNever ? 0.0F : Vec::first(exp_f32(Vec::set1(state.max - new_max)));
  auto total = Vec::zero();
  unroll<kTokenVecs>([&](auto v) MIE_INLINE {
    const auto rounded = Vec::round_to_bf16(exp_f32(Vec::sub(s[v], Vec::set1(base))));
    Vec::store_bf16(p + 16 * v, rounded);
    total = Vec::add(total, rounded);
  });
  state.sum = state.sum * state.rescale + Vec::sum_lanes(total);
  state.max = new_max;
}

// out = out * rescale + P V over n_pairs > 0 token pairs, DimVecs * 16 dimensions from `dim` on.
template <int R, int DimVecs>
MIE_INLINE inline void add_values(const KvHead& kv, const std::byte* const* values, int n_pairs, int dim,
                                  const AttnRows<R>& rows, const NextPages& next, float* out) {
  Vec::F32 o[R][DimVecs];
  unroll<R>([&](auto r) MIE_INLINE {
    unroll<DimVecs>([&](auto d) MIE_INLINE {
      o[r][d] = Vec::mul(Vec::load(out + r * kv.head_dim + dim + 16 * d), Vec::set1(rows.state[r].rescale));
    });
  });
  int pair = 0;
  do {
    const std::byte* at = values[pair] + dim * 4;
    next.fetch(kv.values_at() + dim * 64 + pair * 128);
    if constexpr (R == 1) {
      unroll<DimVecs>([&](auto d) MIE_INLINE {
        o[0][d] = Vec::dot_pair(o[0][d], Vec::bf16_pair(Vec::load64(at + d * 64)), rows.p[0] + 2 * pair);
      });
    } else {
      Vec::Pair v[DimVecs];
      unroll<DimVecs>([&](auto d) MIE_INLINE { v[d] = Vec::bf16_pair(Vec::load64(at + d * 64)); });
      unroll<R>([&](auto r) MIE_INLINE {
        unroll<DimVecs>([&](auto d) MIE_INLINE { o[r][d] = Vec::dot_pair(o[r][d], v[d], rows.p[r] + 2 * pair); });
      });
    }
  } while (++pair < n_pairs);
  unroll<R>([&](auto r) MIE_INLINE {
    unroll<DimVecs>([&](auto d) MIE_INLINE { Vec::store(out + r * kv.head_dim + dim + 16 * d, o[r][d]); });
  });
}

// One past the last position that any row sees.
inline int last_visible(const AttnTask& task) {
  int end = 0;
  for (int r = 0; r < task.n_rows; ++r) end = task.row_last[r] >= end ? task.row_last[r] + 1 : end;
  return task.last < end ? task.last : end;
}

// V of the 2-token pair at an even position: [D][2 tokens].
MIE_INLINE inline const std::byte* value_pair(const KvHead& kv, int position) {
  const TokenPlace at = kv.place(position);
  return at.tile + kv.values_at() + std::int64_t{at.offset / 2} * kv.head_dim * 4;
}

template <int R, bool Halves>
__attribute__((noinline)) void attend_rows(const KvHead& kv, const AttnTask& task, const AttnPartial& result) {
  AttnRows<R> rows;
  __builtin_memset(result.out, 0, sizeof(float) * static_cast<std::size_t>(R * kv.head_dim));
  const int end = last_visible(task);
  for (int start = task.first; start < end; start += kAttnTile) {
    const int n = end - start < kAttnTile ? end - start : kAttnTile;
    const int n_vecs = (n + 15) / 16, n_pairs = (n + 1) / 2;
    KeyVec keys[kTokenVecs];
    for (int v = 0; v < kTokenVecs; ++v) keys[v] = key_vec(kv, start + 16 * (v < n_vecs ? v : n_vecs - 1), end);
    const std::byte* values[kAttnTile / 2];
    for (int pair = 0; pair < n_pairs; ++pair) values[pair] = value_pair(kv, start + 2 * pair);
    const NextPages next(kv, start, end);
    Vec::F32 s[R][kTokenVecs];
    tile_scores<R, Halves>(kv, task.q, keys, n_vecs, next, s);
    unroll<R>([&](auto r)
                  MIE_INLINE { softmax_row(s[r], task.row_last[r] + 1 - start, task.scale, rows.state[r], rows.p[r]); });
    int dim = 0;
    constexpr int kDims = 16 * Vec::kAttendVecs;
    for (; dim + kDims <= kv.head_dim; dim += kDims)
      add_values<R, Vec::kAttendVecs>(kv, values, n_pairs, dim, rows, next, result.out);
    for (; dim < kv.head_dim; dim += 16) add_values<R, 1>(kv, values, n_pairs, dim, rows, next, result.out);
  }
  for (int r = 0; r < R; ++r) {
    result.max[r] = rows.state[r].max;
    result.sum[r] = rows.state[r].sum;
  }
}

template <int R, bool Halves>
void attend_exactly(const KvHead& kv, const AttnTask& task, const AttnPartial& result) {
  if constexpr (R > 0) {
    if (task.n_rows == R) return attend_rows<R, Halves>(kv, task, result);
    attend_exactly<R - 1, Halves>(kv, task, result);
  }
}

inline void attend(const KvHead& kv, const AttnTask& task, const AttnPartial& result) {
  for (int row = 0; row < task.n_rows; row += Vec::kRowsAttend) {
    const int left = task.n_rows - row, at = row * kv.head_dim;
    const AttnTask part{task.q + at, task.row_last + row, left < Vec::kRowsAttend ? left : Vec::kRowsAttend,
                        task.first,  task.last,           task.scale};
    const AttnPartial to{result.max + row, result.sum + row, result.out + at};
    kv.tile < 16 ? attend_exactly<Vec::kRowsAttend, true>(kv, part, to) : attend_exactly<Vec::kRowsAttend, false>(kv, part, to);
  }
}

inline void combine(int head_dim, float& max, float& sum, float* out, float b_max, float b_sum, const float* b_out) {
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

inline void normalise(int head_dim, float sum, float* out) {
  const auto divisor = Vec::set1(sum);
  for (int d = 0; d < head_dim; d += 16) Vec::store(out + d, Vec::div(Vec::load(out + d), divisor));
}

}  // namespace
