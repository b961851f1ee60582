// Named tensors of a model file, as bytes. Loaders (gguf, later safetensors, gptq, awq) implement it; backends read it.
// Views stay valid while the source lives. Immutable after loading; any thread.
#pragma once

#include "models/weights/quant_format.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mie {

struct TensorView {
  std::string name;
  QuantFormat format = QuantFormat::kF32;
  std::vector<std::int64_t> shape;  // outermost first: a linear layer is [out, in]
  std::span<const std::byte> bytes;

  [[nodiscard]] std::int64_t n_elements() const {
    std::int64_t n = 1;
    for (const auto dim : shape) n *= dim;  // checked by the loader to fit
    return n;
  }
};

class WeightSource {
 public:
  virtual ~WeightSource() = default;
  [[nodiscard]] virtual std::span<const TensorView> tensors() const = 0;
  [[nodiscard]] virtual const TensorView* find(std::string_view name) const = 0;  // null when absent

  // Whoever copied the tensors that it needed so far says so: pages of a mapped file leave memory, to come back when read.
  virtual void drop_resident_pages() const {}
};

}  // namespace mie
