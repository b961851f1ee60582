// How exact an arrangement computes, and so how far two of them may lie apart without a bug. Values and pure functions; any
// thread.
//
// The measure is the root mean square of a row's differences over that of the row's values. Rounding is random in sign and
// place, so its RMS is steady where its maximum is not; a wrong position, mask or page changes a row by about its own size.
//
//   arithmetic  unit       why
//   fp32        2^-20      half a unit in the last place is 2^-25; a sum of K terms, in any order, adds up to about √K of
//                          them: 2^-20 for K = 1,000
//   bf16        2^-9       what each operator reads is rounded to 8 bits: at most half a unit in the last place
//   w4a8        2^-7       what each quantised operator reads is rounded to max|x| / 127 of its group of 32: a step of 1/127
//                          of the largest value, whose quotient by the RMS is 2 to 3 and whose error is step / √12
//
// Every block (attention, feed-forward) adds a result with such an error to the residual stream. The errors of n blocks are
// independent, so they add up as √n, and what a block reads carries those of all blocks before it:
//   expected = 8 * √(unit_a² + unit_b²) * √(1 + blocks before)
// The factor covers what a block amplifies: a norm divides by the RMS of a stream whose large dimensions carry no error, and
// softmax turns an error of a score into a relative one of its weight.
//
// Two sides of the same program, arithmetic and instruction set on a backend that promises equal bits for every batch,
// chunk, page and thread count: 0. Other instruction sets sum in another order; a value near the middle of two 8-bit ones may
// then round the other way, and such flips go on growing like the rounding itself. They are given the same bound.
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
