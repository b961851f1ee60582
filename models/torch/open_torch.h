// Opens libmie_torch.so, the libtorch backend, on demand: a server on another backend neither maps nor needs libtorch.
// No torch header here. Called once, by whoever builds the runner, before other threads start: it sets OMP_WAIT_POLICY in
// the environment.
#pragma once

#include "core/base/error.h"
#include "models/model_runner.h"
#include "models/model_spec.h"
#include "models/torch/torch_options.h"
#include "models/weights/weight_source.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

namespace mie {

// Called on the loading thread, after each part of a tensor: bytes of the stored format.
using LoadProgress = std::function<void(std::int64_t done_bytes, std::int64_t total_bytes)>;

// Empty: libmie_torch.so beside the executable, or in ../lib of it.
struct TorchLibraryPath {
  std::filesystem::path file;
};

// Maps the library, expands the weights and takes the KV memory. `weights` is not used after the return.
// The library is never unmapped: libtorch starts threads and registers operators that cannot be taken back.
// Errors: kConfig (library absent or of another build, device, options, memory), kModelFormat.
[[nodiscard]] Result<std::unique_ptr<ModelRunner>> open_torch_runner(const TorchLibraryPath& library, const ModelPlan& plan,
                                                                     const WeightSource& weights, const TorchOptions& options,
                                                                     const LoadProgress& progress);

}  // namespace mie
