// The compute backends that --backend names: what must be known of one before the KV cache is sized, and how its runner is
// made. Made and used once, on the loading thread.
#pragma once

#include "core/base/error.h"
#include "models/layer_tap.h"
#include "models/model_runner.h"
#include "models/model_spec.h"
#include "models/weights/weight_source.h"
#include "server/config.h"
#include "server/kv_budget.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace mie {

// Called on the loading thread, after each part of the work; the unit is the backend's.
using LoadProgress = std::function<void(std::int64_t done_bytes, std::int64_t total_bytes)>;

// What a runner is made of. `n_tokens`: ids from here on are padding of the vocabulary and never sampled.
struct RunnerParts {
  const ModelPlan& plan;
  const WeightSource& weights;
  const KvBudgetPlan& kv;
  int n_tokens;
  LayerTap* tap = nullptr;  // sees every tensor of every step; must outlive the runner
};

class Backend {
 public:
  virtual ~Backend() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view isa() const = 0;       // of its kernels; empty: the library decides
  [[nodiscard]] virtual std::string_view numerics() const = 0;  // settings that change output, for the fingerprint
  [[nodiscard]] virtual int kv_element_bytes() const = 0;       // of one K or V number
  [[nodiscard]] virtual KvTouch kv_touch() const = 0;
  // Memory that the weights take once loaded.
  [[nodiscard]] virtual std::int64_t weight_bytes(const WeightSource& weights) const = 0;

  // Errors: kModelFormat, kConfig.
  virtual Result<std::unique_ptr<ModelRunner>> open(const RunnerParts& parts, const LoadProgress& progress) = 0;
};

// Error kConfig: settings that the chosen backend does not have.
Result<std::unique_ptr<Backend>> make_backend(const Config& config);

Result<std::unique_ptr<Backend>> make_native_backend(const Config& config);
Result<std::unique_ptr<Backend>> make_torch_backend(const Config& config);

}  // namespace mie
