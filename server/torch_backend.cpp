#include "models/torch/open_torch.h"
#include "server/backend.h"

#include <utility>

namespace mie {
namespace {

class TorchBackend final : public Backend {
 public:
  explicit TorchBackend(TorchOptions options) : options_(std::move(options)) {}

  [[nodiscard]] std::string_view name() const override { return "torch"; }
  [[nodiscard]] std::string_view isa() const override { return {}; }
  [[nodiscard]] std::string_view numerics() const override {
    return resolved_dtype(options_.dtype) == TorchDtype::kFloat32 ? "fp32" : "bf16";
  }
  [[nodiscard]] int kv_element_bytes() const override { return mie::kv_element_bytes(options_); }
  [[nodiscard]] KvTouch kv_touch() const override { return KvTouch::kAtStart; }  // one zeroed tensor

  [[nodiscard]] std::int64_t weight_bytes(const WeightSource& weights) const override {
    std::int64_t n_elements = 0;
    for (const TensorView& tensor : weights.tensors()) n_elements += tensor.n_elements();
    return n_elements * (resolved_dtype(options_.dtype) == TorchDtype::kFloat32 ? 4 : 2);
  }

  Result<std::unique_ptr<ModelRunner>> open(const RunnerParts& parts, const LoadProgress& progress) override {
    options_.n_blocks = parts.kv.n_blocks;
    options_.block_size = parts.kv.block_size;
    options_.n_tokens = parts.n_tokens;
    options_.tap = parts.tap;
    return open_torch_runner({}, parts.plan, parts.weights, options_, progress);
  }

 private:
  TorchOptions options_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_torch_backend(const Config& config) {
  TorchOptions options;
  const auto dtype = parse_torch_dtype(config.dtype, "dtype");
  if (dtype.has_error()) return dtype.error();
  const auto kv_dtype = parse_torch_dtype(config.kv_dtype, "kv-dtype");
  if (kv_dtype.has_error()) return kv_dtype.error();
  options.dtype = *dtype;
  options.kv_dtype = *kv_dtype;
  options.n_threads = config.threads;
  return std::unique_ptr<Backend>(std::make_unique<TorchBackend>(std::move(options)));
}

}  // namespace mie
