// Random numbers without state: a block of them is a function of a key and a counter. A sampled token is keyed by (seed,
// position), so nothing else that runs can shift its draw. Pure functions; any thread.
// Philox4x32-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>

namespace mie {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

[[nodiscard]] PhiloxCounter philox4x32_10(PhiloxCounter counter, PhiloxKey key);

// Uniform in [0, 1), a multiple of 2^-53.
[[nodiscard]] double uniform_draw(std::uint64_t seed, std::int64_t position);

}  // namespace mie
