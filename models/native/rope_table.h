// Cosines and sines of the rotary embedding for every position of the context. Immutable; any thread.
#pragma once

#include "models/model_spec.h"

#include <vector>

namespace mie::native {

class RopeTable {
 public:
  RopeTable(const RopeSpec& rope, int n_positions);

  [[nodiscard]] int half() const { return half_; }  // pairs
  // [half] each: the angle of pair i at position p is p * base^(-2i / n_rotary_dims).
  [[nodiscard]] const float* cosine(int position) const { return cosine_.data() + at(position); }
  [[nodiscard]] const float* sine(int position) const { return sine_.data() + at(position); }

 private:
  [[nodiscard]] std::size_t at(int position) const {
    return static_cast<std::size_t>(position) * static_cast<std::size_t>(half_);
  }

  int half_;
  std::vector<float> cosine_, sine_;  // [n_positions, half]
};

}  // namespace mie::native
