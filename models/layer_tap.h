// What a forward pass shows to whoever compares two of them: every tensor between its operators. A runner gets a tap when it
// is made (NativeOptions::tap, TorchOptions::tap) or none, which costs a pointer test an operator. Owned by whoever makes
// the runner, and outlives it. Called on the thread of ModelRunner::run, between operators.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace mie {

// In the order of computation. Values are those before the next operator rounds them to the form that it reads.
// Heads are in ascending order; the rotary pairs of a head are half of the turning dimensions apart, (i, i + d/2), however
// the file has them.
enum class TapPoint : std::uint8_t {
  kEmbed,        // [hidden]
  kAttnNorm,     // [hidden]
  kQ,            // [n_heads * head_dim], turned
  kK,            // [n_kv_heads * head_dim], turned; read back from the page and slot that the row was written to
  kV,            // [n_kv_heads * head_dim], read back
  kAttnOut,      // [n_heads * head_dim], the mixed values, before the output projection
  kResidualMid,  // [hidden], after attention was added
  kFfnNorm,      // [hidden]
  kFfnOut,       // [hidden], of the down projection
  kResidual,     // [hidden], at the end of the layer
  kFinalNorm,    // [hidden], of the rows whose logits are wanted
  kLogits,       // [n_vocab], of the same rows
};

inline constexpr std::array<std::string_view, 12> kTapNames = {
    "embed", "attn_norm", "q", "k", "v", "attn_out", "residual_mid", "ffn_norm", "ffn_out", "residual", "final_norm", "logits"};

[[nodiscard]] constexpr std::string_view tap_name(TapPoint point) { return kTapNames[static_cast<std::size_t>(point)]; }

struct TappedRows {
  TapPoint point;
  int layer;                           // -1: not of a layer
  std::span<const std::int32_t> rows;  // of the batch
  std::span<const float> values;       // [rows, width of the point]
};

class LayerTap {
 public:
  virtual ~LayerTap() = default;
  // `tapped` is valid during the call only.
  virtual void see(const TappedRows& tapped) = 0;
};

}  // namespace mie
