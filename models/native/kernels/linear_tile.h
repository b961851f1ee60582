// The linear kernels, written once over the `Vec` of the including unit. A tile is R rows by C vectors of 16 outputs; one
// lane owns one output and sums its groups in ascending order, so the bits of a row depend on neither R, C nor the other
// rows. Internal linkage: nothing here may be shared between ISA units.
// Not alone because the vector type `Vec` comes from the including ISA unit.
#pragma once

#include "models/native/kernels/kernel_table.h"
#include "models/native/kernels/unroll.h"

namespace {

using mie::native::ActS8;
using mie::native::ActSplit;
using mie::native::kGroup;
using mie::native::kPanel;

constexpr int kCols = kPanel / 16;  // vectors across a panel

template <int R, int C>
using FloatTile = Vec::F32[R][C];
template <int R, int C>
using IntTile = Vec::I32[R][C];

// The activations of R rows that are `stride` records apart, advancing together. Every third row has a pointer; the two
// after it are one and two strides further, which an address can hold: twelve rows in four registers.
template <class Record, int R>
class RowCursor {
 public:
  MIE_INLINE RowCursor(const Record* first, int stride) : stride_(stride) {
    unroll<kPointers>([&](auto i) MIE_INLINE { at_[i] = first + 3 * i * stride_; });
  }
  MIE_INLINE const Record* row(int r) const { return at_[r / 3] + (r % 3) * stride_; }
  MIE_INLINE void advance(int n_records) {
    unroll<kPointers>([&](auto i) MIE_INLINE { at_[i] += n_records; });
  }

 private:
  static constexpr int kPointers = (R + 2) / 3;
  std::int64_t stride_;
  const Record* at_[kPointers];
};

// Calls f(r, c) for every vector of a tile, column by column.
template <int R, int C, class F>
MIE_INLINE inline void each(F f) {
  unroll<C>([&](auto c) MIE_INLINE { unroll<R>([&](auto r) MIE_INLINE { f(r, c); }); });
}

template <int R, int C>
MIE_INLINE inline void clear(FloatTile<R, C>& y) {
  each<R, C>([&](auto r, auto c) MIE_INLINE { y[r][c] = Vec::zero(); });
}

template <int R, int C>
MIE_INLINE inline void store(const FloatTile<R, C>& y, float* out) {
  each<R, C>([&](auto r, auto c) MIE_INLINE { Vec::store(out + r * kPanel + c * 16, y[r][c]); });
}

// A row's numbers are broadcast once for all columns, so rows are the outer loop of what follows.

template <int C>
MIE_INLINE inline void load_halves(const std::byte* p, Vec::F32 (&out)[C]) {
  unroll<C>([&](auto c) MIE_INLINE { out[c] = Vec::load_half16(p + c * 32); });
}

// y += min * act_sum.
template <class Format, int R, int C, class Cursor>
MIE_INLINE inline void fold_min(const std::byte* scales, const Cursor& a, FloatTile<R, C>& y) {
  if constexpr (Format::kHasMin) {
    Vec::F32 min[C];
    load_halves<C>(scales + (Format::kMinAt - Format::kScaleAt), min);
    unroll<R>([&](auto r) MIE_INLINE {
      const auto act = Vec::set1(a.row(r)->asum);
      unroll<C>([&](auto c) MIE_INLINE { y[r][c] = Vec::fma(min[c], act, y[r][c]); });
    });
  }
}

// y += sum(r, c) * (scale * act_scale), then + min * act_sum: this order in every unit, so that their bits agree.
template <class Format, int R, int C, class Sum>
MIE_INLINE inline void fold_s8(const std::byte* scales, const RowCursor<ActS8, R>& a, FloatTile<R, C>& y, Sum sum) {
  Vec::F32 scale[C];
  load_halves<C>(scales, scale);
  unroll<R>([&](auto r) MIE_INLINE {
    const auto act = Vec::set1(a.row(r)->scale);
    unroll<C>([&](auto c) MIE_INLINE { y[r][c] = Vec::fma(Vec::to_f32(sum(r, c)), Vec::mul(scale[c], act), y[r][c]); });
  });
  fold_min<Format, R, C>(scales, a, y);
}

// y += sum(r, c) * scale, then + min * act_sum.
template <class Format, int R, int C, class Sum>
MIE_INLINE inline void fold_w4a16(const std::byte* scales, const RowCursor<ActSplit, R>& a, FloatTile<R, C>& y, Sum sum) {
  Vec::F32 scale[C];
  load_halves<C>(scales, scale);
  unroll<R>([&](auto r)
                MIE_INLINE { unroll<C>([&](auto c) MIE_INLINE { y[r][c] = Vec::fma(sum(r, c), scale[c], y[r][c]); }); });
  fold_min<Format, R, C>(scales, a, y);
}

// A constant zero point: sums of products start at minus the zero point times the sum of q.
template <int Zero>
MIE_INLINE inline Vec::I32 first_sum(const ActS8& a) {
  static_assert(Zero == 0 || Zero == 8 || Zero == 128);
  return Vec::set1_i32(Zero == 0 ? 0 : Zero == 8 ? a.minus_8_sums : a.minus_128_sums);
}

// What a tile multiplies: n consecutive records of a panel by rows of activations that are `stride` records apart.
template <class Act>
struct Block {
  const std::byte* records;
  int n;
  const Act* acts;
  int stride;
  float* out;  // [rows, 32]
  bool more;   // adds to what is there

  void skip_rows(int n_rows) {
    acts += std::ptrdiff_t{n_rows} * stride;
    out += n_rows * kPanel;
  }
};

// Weights come from memory. A processor looks far enough ahead by itself only while a tile has few rows: so every pass over a
// block asks for its share of the lines of the next one, and memory is busy for as long as the arithmetic is.
constexpr int kBlockBytes = 8 << 10;  // of weights: stay in the first cache with their activations

struct Ahead {
  const std::byte* next;
  int lines;  // for each record

  MIE_INLINE void fetch() {
    int left = lines;
    do {
      __builtin_prefetch(next);
      next += 64;
    } while (--left > 0);
  }
};

template <int R, int C>
MIE_INLINE inline void start(const float* out, bool more, FloatTile<R, C>& y) {
  clear<R, C>(y);
  if (more) each<R, C>([&](auto r, auto c) MIE_INLINE { y[r][c] = Vec::load(out + r * kPanel + c * 16); });
}

// Tiles take a panel from vector `column` on.
template <class Format, int R, int C>
__attribute__((noinline)) void tile_s8(const Block<ActS8>& block, int column, Ahead& ahead) {
  const std::byte *lines = block.records + column * 64, *scales = block.records + Format::kScaleAt + column * 32;
  RowCursor<ActS8, R> a(block.acts, block.stride);
  FloatTile<R, C> y;
  start<R, C>(block.out + column * 16, block.more, y);
  for (int g = 0; g < block.n; ++g, lines += Format::kRecordBytes, scales += Format::kRecordBytes, a.advance(1)) {
    ahead.fetch();
    IntTile<R, C> dot;
    each<R, C>([&](auto r, auto c) MIE_INLINE { dot[r][c] = first_sum<Format::kZero>(*a.row(r)); });
    Format::template dot_s8<R, C>(lines, a, dot);
    fold_s8<Format, R, C>(scales, a, y, [&](auto r, auto c) MIE_INLINE { return dot[r][c]; });
  }
  store<R, C>(y, block.out + column * 16);
}

// Quantised weights times bf16 rows: exact products, one fp32 sum a group, then y += sum * scale (+ min * act_sum).
template <class Format, int R, int C>
__attribute__((noinline)) void tile_w4a16(const Block<ActSplit>& block, int column, Ahead& ahead) {
  const std::byte *lines = block.records + column * 64, *scales = block.records + Format::kScaleAt + column * 32;
  RowCursor<ActSplit, R> a(block.acts, block.stride);
  FloatTile<R, C> y;
  start<R, C>(block.out + column * 16, block.more, y);
  for (int g = 0; g < block.n; ++g, lines += Format::kRecordBytes, scales += Format::kRecordBytes, a.advance(1)) {
    ahead.fetch();
    FloatTile<R, C> dot;
    clear<R, C>(dot);
    Format::template dot_bf16<R, C>(lines, a, dot);
    fold_w4a16<Format, R, C>(scales, a, y, [&](auto r, auto c) MIE_INLINE { return dot[r][c]; });
  }
  store<R, C>(y, block.out + column * 16);
}

// bf16 weights: one accumulator over all of K.
template <class Format, int R, int C>
__attribute__((noinline)) void tile_bf16(const Block<std::uint16_t>& block, int column, Ahead& ahead) {
  const std::byte* lines = block.records + column * 64;
  RowCursor<std::uint16_t, R> a(block.acts, block.stride);
  FloatTile<R, C> y;
  start<R, C>(block.out + column * 16, block.more, y);
  for (int i = 0; i < block.n; ++i, lines += Format::kRecordBytes, a.advance(2)) {
    ahead.fetch();
    Vec::Pair w[C];
    unroll<C>([&](auto c) MIE_INLINE { w[c] = Vec::bf16_pair(Vec::load64(lines + c * 64)); });
    unroll<R>([&](auto r)
                  MIE_INLINE { unroll<C>([&](auto c) MIE_INLINE { y[r][c] = Vec::dot_pair(y[r][c], w[c], a.row(r)); }); });
  }
  store<R, C>(y, block.out + column * 16);
}

// What linear<> below cuts into tiles: kMaxRows is the tallest tile; up to kWideRows rows a tile spans the panel, since few
// rows wait for memory and a line is then read once. Taller ones take half a panel at a time: unpacking a line, they share
// it among more rows with the same number of accumulators.
template <class Format>
struct TileS8 {
  using Act = ActS8;
  static constexpr int kInputs = kGroup, kActs = 1, kRecordBytes = Format::kRecordBytes;  // of a record
  static constexpr int kMaxRows = Vec::kRowsS8, kWideRows = Vec::kWideRowsS8, kHeightStep = 1;
  template <int R, int C>
  MIE_INLINE static void run(const Block<Act>& block, int column, Ahead& ahead) {
    tile_s8<Format, R, C>(block, column, ahead);
  }
};
template <class Format>
struct TileW4A16 {
  using Act = ActSplit;
  static constexpr int kInputs = kGroup, kActs = 1, kRecordBytes = Format::kRecordBytes;
  static constexpr int kMaxRows = Vec::kRowsW4A16, kWideRows = Vec::kWideRowsW4A16, kHeightStep = 2;
  template <int R, int C>
  MIE_INLINE static void run(const Block<Act>& block, int column, Ahead& ahead) {
    tile_w4a16<Format, R, C>(block, column, ahead);
  }
};
template <class Format>
struct TileBf16 {
  using Act = std::uint16_t;
  static constexpr int kInputs = 2, kActs = 2, kRecordBytes = Format::kRecordBytes;
  static constexpr int kMaxRows = Vec::kRowsBf16, kWideRows = Vec::kWideRowsBf16, kHeightStep = 1;
  template <int R, int C>
  MIE_INLINE static void run(const Block<Act>& block, int column, Ahead& ahead) {
    tile_bf16<Format, R, C>(block, column, ahead);
  }
};

// The tallest tile for n_rows ≥ 1 rows among those that are compiled: of heights that need half a panel, every kHeightStep-th.
template <class Tile>
constexpr int height_for(int n_rows) {
  if (n_rows >= Tile::kMaxRows) return Tile::kMaxRows;
  return n_rows > Tile::kWideRows && n_rows % Tile::kHeightStep != 0 ? n_rows - 1 : n_rows;
}

template <class Tile, int R>
MIE_INLINE inline void tile(const Block<typename Tile::Act>& block, Ahead& ahead) {
  if constexpr (R <= Tile::kWideRows) {
    Tile::template run<R, kCols>(block, 0, ahead);
  } else {
    for (int column = 0; column < kCols; ++column) Tile::template run<R, 1>(block, column, ahead);
  }
}

// REQUIRES: `height` is one that is compiled, R at most.
template <class Tile, int R>
void tile_of_height(const Block<typename Tile::Act>& block, int height, Ahead& ahead) {
  if (height == R) return tile<Tile, R>(block, ahead);
  if constexpr (R > 1) tile_of_height<Tile, height_for<Tile>(R - 1)>(block, height, ahead);
}

template <class Tile>
constexpr int passes_over(int n_rows) {
  if (n_rows == 0) return 0;
  const int height = height_for<Tile>(n_rows);
  return (height <= Tile::kWideRows ? 1 : kCols) + passes_over<Tile>(n_rows - height);
}

// Tiles of the full height, then lower ones for the rows that are left: no row is computed twice or padded.
template <class Tile>
void linear_block(Block<typename Tile::Act> block, int n_rows, Ahead& ahead) {
  for (int height; n_rows > 0; n_rows -= height, block.skip_rows(height)) {
    height = height_for<Tile>(n_rows);
    tile_of_height<Tile, Tile::kMaxRows>(block, height, ahead);
  }
}

// Calls f(block, ahead) for the blocks of a panel, each of at most `at_once` records and passed over n_passes times: all rows
// pass over a block before the next is touched.
template <class Tile, class F>
MIE_INLINE inline void each_block(Block<typename Tile::Act> panel, int at_once, int n_passes, F f) {
  for (int first = 0; first < panel.n; first += at_once) {
    Block<typename Tile::Act> block = panel;
    block.records += std::ptrdiff_t{first} * Tile::kRecordBytes;
    block.n = panel.n - first < at_once ? panel.n - first : at_once;
    block.acts += std::ptrdiff_t{first} * Tile::kActs;
    block.more = first > 0;
    f(block, Ahead{block.records + kBlockBytes, (Tile::kRecordBytes / 64 + n_passes - 1) / n_passes});
  }
}

template <class Tile>
void linear(const std::byte* panel, int k, const typename Tile::Act* a, int stride, int n_rows, float* out) {
  const int n_records = k / Tile::kInputs, n_passes = passes_over<Tile>(n_rows);
  const int at_once = n_passes == 1 ? n_records : kBlockBytes / Tile::kRecordBytes;
  each_block<Tile>({panel, n_records, a, stride, out, false}, at_once, n_passes,
                   [&](const Block<typename Tile::Act>& block, Ahead ahead) { linear_block<Tile>(block, n_rows, ahead); });
}

// Records of quantised weights' activations follow each other from row to row.
template <class Tile>
void linear_groups(const std::byte* panel, int k, const typename Tile::Act* a, int n_rows, float* out) {
  linear<Tile>(panel, k, a, k / kGroup, n_rows, out);
}

}  // namespace
