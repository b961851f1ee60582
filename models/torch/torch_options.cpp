#include "models/torch/torch_options.h"

namespace mie {

Result<TorchDtype> parse_torch_dtype(std::string_view text, std::string_view flag) {
  if (text == "auto") return TorchDtype::kAuto;
  if (text == "fp32" || text == "float32") return TorchDtype::kFloat32;
  if (text == "bf16" || text == "bfloat16") return TorchDtype::kBFloat16;
  return Error{Errc::kConfig, std::string(flag) + " must be auto, bf16 or fp32 on the torch backend", std::string(flag)};
}

TorchDtype resolved_dtype(TorchDtype dtype) { return dtype == TorchDtype::kAuto ? TorchDtype::kFloat32 : dtype; }

int kv_element_bytes(const TorchOptions& options) {
  const TorchDtype stored = options.kv_dtype == TorchDtype::kAuto ? options.dtype : options.kv_dtype;
  return resolved_dtype(stored) == TorchDtype::kBFloat16 ? 2 : 4;
}

}  // namespace mie
