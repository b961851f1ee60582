// Seeded weights and activations of the sizes that models have, for kernels whose time does not depend on values. Numbers are
// ordinary: no zeros, infinities or denormals. Pure functions.
#pragma once

#include "models/weights/quant_format.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mie::bench {

// One stored row of k weights.
[[nodiscard]] std::vector<std::byte> random_row(QuantFormat format, int k, std::uint64_t seed);

// Normally distributed.
[[nodiscard]] std::vector<float> random_floats(std::size_t n, float deviation, std::uint64_t seed);

}  // namespace mie::bench
