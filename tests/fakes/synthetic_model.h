// A decoder of seeded random weights, held in memory, for any ModelSpec: small enough for a reference in plain loops.
// Test code.
#pragma once

#include "models/model_spec.h"
#include "models/weights/weight_source.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mie::test {

class SyntheticModel final : public WeightSource {
 public:
  SyntheticModel(ModelSpec spec, std::uint64_t seed);

  [[nodiscard]] const ModelPlan& plan() const { return plan_; }
  [[nodiscard]] const ModelSpec& spec() const { return plan_.spec; }

  // Numbers of a tensor, row after row. layer -1: not of a layer. The mutable form serves to damage them.
  [[nodiscard]] const std::vector<float>& numbers(TensorRole role, int layer) const { return numbers_.at({role, layer}); }
  [[nodiscard]] std::vector<float>& numbers(TensorRole role, int layer) { return numbers_.at({role, layer}); }

  [[nodiscard]] std::span<const TensorView> tensors() const override { return views_; }
  [[nodiscard]] const TensorView* find(std::string_view name) const override;

 private:
  void add(TensorRole role, int layer, std::vector<std::int64_t> shape);

  ModelPlan plan_;
  std::uint64_t seed_;
  std::map<std::pair<TensorRole, int>, std::vector<float>> numbers_;
  std::vector<TensorView> views_;
};

// A spec with 2 layers, 4 query heads on 2 KV heads of 8, hidden 24, vocabulary 40, context 64.
[[nodiscard]] ModelSpec small_spec();

}  // namespace mie::test
