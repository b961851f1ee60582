#include "bench/micro/random_model.h"

#include "bench/micro/random_weights.h"
#include "models/families/llama.h"

#include <algorithm>

namespace mie::bench {

RandomModel::RandomModel(ModelSpec spec) : plan_{spec, llama_tensors(spec)} {
  for (const TensorSlot& slot : plan_.tensors) views_.push_back({slot.name, QuantFormat::kF32, slot.shape, {}});
  std::int64_t largest = 0;
  for (const TensorView& view : views_) largest = std::max(largest, view.n_elements());
  numbers_ = random_floats(static_cast<std::size_t>(largest), 0.1F, /*seed=*/7);
  const auto bytes = std::as_bytes(std::span<const float>(numbers_));
  for (TensorView& view : views_) view.bytes = bytes.first(static_cast<std::size_t>(view.n_elements()) * sizeof(float));
}

const TensorView* RandomModel::find(std::string_view name) const {
  const auto found = std::ranges::find(views_, name, &TensorView::name);
  return found == views_.end() ? nullptr : &*found;
}

}  // namespace mie::bench
