// unroll<N>(f) calls f with the constants 0 … N - 1. The kernels' register arrays are indexed by these constants, so that
// they are registers from the first compiler pass on; a loop that the compiler unrolls late leaves them on the stack.
// Internal linkage, no std templates: nothing here may be shared between ISA units.
#pragma once

namespace {

template <int I>
struct Constant {
  static constexpr int value = I;
  constexpr operator int() const { return I; }
};

template <class Rep, Rep...>
struct Sequence {};

#define MIE_INLINE __attribute__((always_inline))

template <class F, int... I>
MIE_INLINE inline void unroll_over(F& f, Sequence<int, I...>) {
  (f(Constant<I>{}), ...);
}

template <int N, class F>
MIE_INLINE inline void unroll(F f) {
  unroll_over(f, __make_integer_seq<Sequence, int, N>{});
}

}  // namespace
