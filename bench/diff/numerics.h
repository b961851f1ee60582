// How exact an arrangement computes, and so how far two of them may lie apart without a bug. Values and pure functions; any
// thread.
//
// The measure is the root mean square of a row's differences over that of the row's values. Rounding is random in sign and
// place, so its RMS is steady where its maximum is not; a wrong position, mask or page changes a row by about its own size.
//
//   arithmetic  unit       why (a unit is an RMS)
//   fp32        2^-20      a rounding moves a value by 2^-24 of itself at most, by half of that in RMS; a sum of K terms, in
//                          any order, adds up to about √K of them: 2^5 for K = 1,000
//   bf16        2^-9       what each operator reads is rounded to 8 bits: by 2^-8 of itself at most, by half of that in RMS
//   w4a8        2^-8       what each quantised operator reads is rounded to a multiple of max|x| / 127 of its group of 32.
//                          The maximum of such a group is 2 to 3 times its RMS, the error 1/√12 of a step: 0.005 of the RMS
//
// Every block (attention, feed-forward) adds a result with such an error to the residual stream. The errors of n blocks are
// independent, so they add up as √n, and what a block reads carries those of all blocks before it:
//   expected = factor * √(unit_a² + unit_b²) * √(1 + blocks before), at most 1/2: a row half of which changed is no rounding
// The factor is 32, and 64 for ffn_out, where gate and up multiply two values that carry the error and the sum may be far
// smaller than its terms. Half of all rows stay below 1; the factor is for the few that a model is sensitive at. Measured on
// SmolLM2-135M, 100,000 rows of 360 positions, against libtorch in fp32, the worst ffn_out and the worst of the others need:
// libtorch in bf16, which has none of our kernels, 17 and 9; native w4a16 32 and 16, w4a8 16 and 11.
//
// So two arithmetics show bugs that change a row by much: a wrong rotary base, permuted weights, a lost page. One that
// changes it by little (a mask off by one among hundreds of tokens) shows between arrangements that owe each other equal bits:
// two sides of the same program, arithmetic and instruction set on a backend that promises them for every batch, chunk, page
// and thread count. There 0 is expected.
//
// Other instruction sets sum in another order; a value near the middle of two rounded ones may then round the other way, and
// such flips go on growing like the rounding itself. They are given the bound of their arithmetic.
#pragma once

#include <string>

namespace mie::diff {

struct TensorId;

enum class Arithmetic { kFp32, kBf16, kW4A8 };

struct Numerics {
  Arithmetic arithmetic = Arithmetic::kFp32;  // the coarsest that the side uses
  std::string bits{};  // sides with the same text give equal bits ("native w4a8 amx"); empty: nothing is promised
};

// The largest expected RMS of a row's difference, relative to the RMS of the row. 0: not a bit.
[[nodiscard]] double expected_difference(const Numerics& a, const Numerics& b, const TensorId& tensor, int n_layers);

}  // namespace mie::diff
