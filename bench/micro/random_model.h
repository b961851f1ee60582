// A decoder of the Llama family with seeded random weights, in memory, for steps whose time does not depend on values.
// Every tensor is a view of the same numbers. Immutable; any thread.
#pragma once

#include "models/model_spec.h"
#include "models/weights/weight_source.h"

#include <span>
#include <string_view>
#include <vector>

namespace mie::bench {

class RandomModel final : public WeightSource {
 public:
  explicit RandomModel(ModelSpec spec);

  [[nodiscard]] const ModelPlan& plan() const { return plan_; }
  [[nodiscard]] std::span<const TensorView> tensors() const override { return views_; }
  [[nodiscard]] const TensorView* find(std::string_view name) const override;

 private:
  ModelPlan plan_;
  std::vector<float> numbers_;
  std::vector<TensorView> views_;
};

}  // namespace mie::bench
