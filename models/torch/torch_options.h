// What the command line says to the torch backend, and what it means on this machine. No torch header, so that the server
// may include it. Values and pure functions; any thread.
#pragma once

#include "core/base/error.h"

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
  int block_size = 0;  // tokens
  int n_tokens = 0;    // ids that the tokenizer knows; those after them are padding and never sampled. 0: all are known
};

// "auto", "fp32", "float32", "bf16", "bfloat16". Error: kConfig with param `flag`.
[[nodiscard]] Result<TorchDtype> parse_torch_dtype(std::string_view text, std::string_view flag);

// kAuto becomes kBFloat16 on a processor that multiplies bf16 in hardware (AVX-512 BF16), else kFloat32: elsewhere bf16 is
// emulated and slower than fp32.
[[nodiscard]] TorchDtype resolved_dtype(TorchDtype dtype);

// Bytes of one K or V number under these options: what PageLayout::element_bytes needs.
[[nodiscard]] int kv_element_bytes(const TorchOptions& options);

}  // namespace mie
