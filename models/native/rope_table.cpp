#include "models/native/rope_table.h"

#include <cmath>

namespace mie::native {

// Inverse frequencies and angles in fp32, as the reference implementations compute them.
RopeTable::RopeTable(const RopeSpec& rope, int n_positions) : half_(rope.n_rotary_dims / 2) {
  for (int position = 0; position < n_positions; ++position) {
    for (int i = 0; i < half_; ++i) {
      const auto exponent = static_cast<float>(2 * i) / static_cast<float>(rope.n_rotary_dims);
      const float frequency = 1.0F / std::pow(static_cast<float>(rope.base), exponent);
      const float angle = static_cast<float>(position) * frequency;
      cosine_.push_back(std::cos(angle));
      sine_.push_back(std::sin(angle));
    }
  }
}

}  // namespace mie::native
