// e^x for x ≤ 0, within 2 ulp: plain arithmetic that vectorises and gives the same bits on every CPU, as the C library's
// does not, so that a seed gives the same tokens everywhere. Pure function; any thread.
// Method and coefficients: Moshier, Cephes Mathematical Library, expf.
#pragma once

#include <bit>
#include <cstdint>

namespace mie {

// 0 below -87, where e^x leaves the normal floats. REQUIRES: x ≤ 0; -inf is allowed.
// Units that use it are compiled with -ffp-contract=off.
[[nodiscard]] inline float exp_nonpositive(float x) {
  constexpr float kUnderflow = -87;
  constexpr float kRounder = 0x1.8p23F;  // adding it leaves no fraction bits
  constexpr float kLog2High = 0.693359375F;
  constexpr float kLog2Low = -2.12194440e-4F;
  const float clamped = x > kUnderflow ? x : kUnderflow;
  const float n = (clamped * 1.44269504F + kRounder) - kRounder;  // nearest power of two: -126 to 0
  const float r = clamped - n * kLog2High - n * kLog2Low;         // e^x = 2^n e^r, |r| ≤ ln 2 / 2
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  const float power = std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
  const float result = (p * r * r + r + 1) * power;
  return x >= kUnderflow ? result : 0;
}

}  // namespace mie
