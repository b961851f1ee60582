// The one symbol of libmie_torch.so. C++ objects cross this boundary, so both sides must come from one build: the stamp
// tells a library of another version, compiler or set of structures before anything of it is called.
#pragma once

#include "models/torch/open_torch.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace mie {

struct TorchAbiStamp {
  std::uint32_t version = 2;  // raise when a virtual function or the meaning of a field changes
  std::array<std::uint32_t, 8> sizes{sizeof(ModelSpec),   sizeof(TensorSlot), sizeof(TensorView), sizeof(TorchOptions),
                                     sizeof(SamplingRow), sizeof(Sampled),    sizeof(StepBatch),  sizeof(TappedRows)};
  std::array<char, 64> compiler{};

  friend bool operator==(const TorchAbiStamp&, const TorchAbiStamp&) = default;
};

// The stamp of the translation unit that calls it; hence static, not inline.
[[maybe_unused]] static TorchAbiStamp this_build() {
  TorchAbiStamp stamp;
  constexpr std::string_view kCompiler = __VERSION__;
  kCompiler.copy(stamp.compiler.data(), stamp.compiler.size() - 1);
  return stamp;
}

struct TorchBackend {
  TorchAbiStamp stamp;  // first, and of fixed place: read before anything else is trusted
  Result<std::unique_ptr<ModelRunner>> (*open)(const ModelPlan& plan, const WeightSource& weights, const TorchOptions& options,
                                               const LoadProgress& progress) = nullptr;
};

inline constexpr const char* kTorchEntrySymbol = "mie_torch_backend";
using TorchEntry = const TorchBackend* (*)();

}  // namespace mie
