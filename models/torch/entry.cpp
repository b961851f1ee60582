// What libmie_torch.so offers to the loader: one symbol. See torch_abi.h.
#include "models/torch/runner.h"
#include "models/torch/torch_abi.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace mie {
namespace {

Error config_error(std::string message, std::string param) {
  return Error{Errc::kConfig, std::move(message), std::move(param)};
}

// Options with every "auto" replaced.
Result<TorchOptions> settled(TorchOptions options, const ModelSpec& spec) {
  if (options.device != "cpu") {
    return config_error("device must be cpu: this build of the torch backend has no CUDA", "device");
  }
  if (options.n_blocks < 1 || options.block_size < 1) return config_error("the KV cache has no block", "kv-cache-memory");
  if (options.kv_dtype == TorchDtype::kAuto) options.kv_dtype = options.dtype;
  options.dtype = resolved_dtype(options.dtype);
  options.kv_dtype = resolved_dtype(options.kv_dtype);
  if (options.n_threads < 1) options.n_threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (options.n_tokens < 1 || options.n_tokens > spec.n_vocab) options.n_tokens = spec.n_vocab;
  return options;
}

Result<std::unique_ptr<ModelRunner>> open(const ModelPlan& plan, const WeightSource& source, const TorchOptions& wanted,
                                          const LoadProgress& progress) {
  const auto options = settled(wanted, plan.spec);
  if (!options) return options.error();
  const c10::InferenceMode no_gradients;
  at::set_num_threads(options->n_threads);
  // The only error that libtorch reports while loading is want of memory.
  try {
    auto weights = load_weights(plan, source, scalar_type(options->dtype), progress);
    if (!weights) return weights.error();
    return std::make_unique<TorchRunner>(plan.spec, std::move(*weights), *options);
  } catch (const c10::Error& error) {
    return config_error(std::string("libtorch cannot load the model: ") + error.what_without_backtrace(), "kv-cache-memory");
  }
}

}  // namespace
}  // namespace mie

extern "C" __attribute__((visibility("default"))) const mie::TorchBackend* mie_torch_backend() {
  static const mie::TorchBackend backend{mie::this_build(), mie::open};
  return &backend;
}
