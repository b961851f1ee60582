// What the command line says to the torch backend, and what it means on this machine. No torch header, so that the server
// may include it. Values and pure functions; any thread.
#pragma once

#include "core/base/error.h"
#include "models/layer_tap.h"

#include <string>
#include <string_view>

namespace mie {

enum class TorchDtype { kAuto, kFloat32, kBFloat16 };

struct TorchOptions {
  TorchDtype dtype = TorchDtype::kAuto;     // of the weights and of the arithmetic of linear layers
  TorchDtype kv_dtype = TorchDtype::kAuto;  // of cached K and V; kAuto: as dtype
  std::string device = "cpu";
  int n_threads = 0;  // 0: one per core
  int n_blocks = 0;
  int block_size = 0;       // tokens
  int n_tokens = 0;         // ids that the tokenizer knows; those after them are padding and never sampled. 0: all are known
  LayerTap* tap = nullptr;  // sees every tensor of every step
};

// "auto", "fp32", "float32", "bf16", "bfloat16". Error: kConfig with param `flag`.
[[nodiscard]] Result<TorchDtype> parse_torch_dtype(std::string_view text, std::string_view flag);

// kAuto becomes kFloat32. bf16 halves the memory of the weights and, where the processor multiplies it in hardware, about
// halves the time of a prefill; but its sums depend on how many rows share a product, so that greedy answers differ between
// alone and batched (7 of 24 prompts of 64 tokens, SmolLM2-135M), and it does not make a single stream faster. Whoever
// wants it asks for it.
[[nodiscard]] TorchDtype resolved_dtype(TorchDtype dtype);

// Bytes of one K or V number under these options: what PageLayout::element_bytes needs.
[[nodiscard]] int kv_element_bytes(const TorchOptions& options);

}  // namespace mie
