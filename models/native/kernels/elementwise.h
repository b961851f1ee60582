// Row operations around the linear layers, over the `Vec` of the including unit: RMSNorm, activation quantisation, exp,
// SiLU. Fixed order of every sum: their bits are the same in every unit, for any number of rows and threads.
// Not alone because the vector type `Vec` comes from the including ISA unit.
#pragma once

#include "models/native/kernels/linear_tile.h"

namespace {

// e^x for x <= 0 or moderate x (|x| < 87): Cody-Waite reduction by ln 2, a degree-6 polynomial, error under 1 ulp or so.
// exp(0) is exactly 1, and anything below -87 is exactly 0, so masked lanes (-inf) vanish.
MIE_INLINE inline Vec::F32 exp_f32(Vec::F32 x) {
  const auto clamped = Vec::min(Vec::max(x, Vec::set1(-87.0F)), Vec::set1(88.0F));
  const auto n = Vec::round(Vec::mul(clamped, Vec::set1(1.44269504088896341F)));
  const auto nf = Vec::to_f32(n);
  auto r = Vec::fma(nf, Vec::set1(-0.693359375F), clamped);  // ln 2, upper bits: exact product
  r = Vec::fma(nf, Vec::set1(2.12194440054690583e-4F), r);   // minus the rest
  auto p = Vec::set1(1.0F / 720);
  p = Vec::fma(p, r, Vec::set1(1.0F / 120));
  p = Vec::fma(p, r, Vec::set1(1.0F / 24));
  p = Vec::fma(p, r, Vec::set1(1.0F / 6));
  p = Vec::fma(p, r, Vec::set1(0.5F));
  p = Vec::fma(p, r, Vec::set1(1.0F));
  p = Vec::fma(p, r, Vec::set1(1.0F));
  return Vec::zero_below(x, -87.0F, Vec::times_power_of_2(p, n));
}

MIE_INLINE inline Vec::F32 silu(Vec::F32 x) {
  const auto e = exp_f32(Vec::sub(Vec::zero(), x));
  return Vec::div(x, Vec::add(Vec::set1(1.0F), e));
}

inline void quantise_row(const float* x, int k, ActS8* out) {
  for (int g = 0; g < k / kGroup; ++g, ++out) {
    const auto x0 = Vec::load(x + g * kGroup), x1 = Vec::load(x + g * kGroup + 16);
    const float largest = Vec::max_lanes(Vec::max(Vec::abs(x0), Vec::abs(x1)));
    const auto inverse = Vec::set1(largest > 0 ? 127.0F / largest : 0.0F);
    const auto q0 = Vec::round(Vec::mul(x0, inverse)), q1 = Vec::round(Vec::mul(x1, inverse));
    Vec::store_i8(out->q, q0);
    Vec::store_i8(out->q + 16, q1);
    const std::int32_t sum = Vec::sum_lanes_i32(Vec::add_i32(q0, q1));
    out->scale = largest / 127.0F;
    out->asum = out->scale * static_cast<float>(sum);
    out->minus_8_sums = -8 * sum;
    out->minus_128_sums = -128 * sum;
  }
}

inline void split_row(const float* x, int k, ActSplit* out) {
  constexpr int kOrder[8] = {0, 2, 4, 6, 1, 3, 5, 7};
  alignas(64) std::uint16_t natural[kGroup];
  for (int g = 0; g < k / kGroup; ++g, ++out) {
    const auto x0 = Vec::load(x + g * kGroup), x1 = Vec::load(x + g * kGroup + 16);
    out->asum = Vec::sum_lanes(Vec::add(Vec::round_to_bf16(x0), Vec::round_to_bf16(x1)));
    Vec::store_bf16(natural, x0);
    Vec::store_bf16(natural + 16, x1);
    for (int i = 0; i < kGroup; ++i) out->a[i] = natural[(i & ~7) + kOrder[i & 7]];
  }
}

// out = x / sqrt(mean(x^2) + eps) * weight. REQUIRES: k a multiple of 16.
inline void rms_norm_row(const float* x, const float* weight, int k, float eps, float* out) {
  auto squares = Vec::zero();
  for (int i = 0; i < k; i += 16) {
    const auto v = Vec::load(x + i);
    squares = Vec::fma(v, v, squares);
  }
  const float mean = Vec::sum_lanes(squares) / static_cast<float>(k);
  const auto inverse = Vec::set1(1.0F / __builtin_sqrtf(mean + eps));
  for (int i = 0; i < k; i += 16) Vec::store(out + i, Vec::mul(Vec::mul(Vec::load(x + i), inverse), Vec::load(weight + i)));
}

// x += y, n a multiple of 16.
inline void add_row(float* x, const float* y, int n) {
  for (int i = 0; i < n; i += 16) Vec::store(x + i, Vec::add(Vec::load(x + i), Vec::load(y + i)));
}

// out = silu(gate) * up over one panel.
inline void silu_mul_panel(const float* gate, const float* up, float* out) {
  unroll<kCols>([&](auto c)
                    MIE_INLINE { Vec::store(out + c * 16, Vec::mul(silu(Vec::load(gate + c * 16)), Vec::load(up + c * 16))); });
}

// Rotates the leading 2 * half values of a head in place: (x[i], x[i + half]) by the angle i. half a multiple of 16.
inline void rotate_row(float* x, const float* cosine, const float* sine, int half) {
  for (int i = 0; i < half; i += 16) {
    const auto a = Vec::load(x + i), b = Vec::load(x + half + i), c = Vec::load(cosine + i), s = Vec::load(sine + i);
    Vec::store(x + i, Vec::fma(a, c, Vec::sub(Vec::zero(), Vec::mul(b, s))));
    Vec::store(x + half + i, Vec::fma(b, c, Vec::mul(a, s)));
  }
}

inline void store_bf16_row(const float* x, int n, std::uint16_t* out) {
  for (int i = 0; i < n; i += 16) Vec::store_bf16(out + i, Vec::load(x + i));
}

inline void find_best(const float* x, int n, std::int32_t first_id, mie::native::BestLogit& best) {
  constexpr float kInfinity = __builtin_inff();
  Vec::F32 largest = Vec::set1(-kInfinity);
  unroll<kCols>([&](auto c) MIE_INLINE {
    const auto logits = Vec::load(x + c * 16);
    best.sound &= Vec::all_below(logits, kInfinity);
    const int lanes = n - 16 * c;
    largest = Vec::max(largest, Vec::first_lanes(lanes < 0 ? 0 : lanes, logits, Vec::set1(-kInfinity)));
  });
  const float value = Vec::max_lanes(largest);
  if (!(value > best.value)) return;  // also for NaN
  best.value = value;
  best.id = first_id;
  while (*x != value) ++x, ++best.id;
}

}  // namespace
