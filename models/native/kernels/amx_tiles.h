// AMX tile registers: up to 16 rows of 64 bytes each. Roles are fixed: 0-3 sums, 4-5 activations, 6-7 weights. A tile
// instruction multiplies up to 16 rows of activations by 16 outputs over a group of inputs.
// Not alone because its intrinsics need the flags of the AMX unit.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace {

constexpr int kTileRows = 16;

struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};

  void set(int tile, int n_rows, int n_bytes) {
    rows[tile] = static_cast<std::uint8_t>(n_rows);
    row_bytes[tile] = static_cast<std::uint16_t>(n_bytes);
  }
};

// For n_rows rows of activations of which a group takes `act_bytes`: 64 in bf16, 32 in 8 bits. A row of a weight tile is four
// bytes of inputs for each of 16 outputs, so a weight tile has act_bytes / 4 rows.
inline void configure(int n_rows, int act_bytes) {
  TileConfig config;
  for (int tile = 0; tile < 4; ++tile) config.set(tile, n_rows, 64);
  for (int tile = 4; tile < 6; ++tile) config.set(tile, n_rows, act_bytes);
  for (int tile = 6; tile < 8; ++tile) config.set(tile, act_bytes / 4, 64);
  _tile_loadconfig(&config);
}

}  // namespace
