// What the native backend can do without, so that the worth of each part can be measured by switching it off. Each row's bits,
// and so the tokens, are the same whatever is chosen. Values; any thread.
#pragma once

#include <cstdint>

namespace mie::native {

struct Switches {
  // Of a linear operator. kAlone: a product for each row by itself, which reads the weights again: matrix times vector.
  enum class Rows : std::uint8_t { kTogether, kAlone };

  // kPaged reads K and V where they lie. kGathered copies those of a sequence into one piece first, in every layer of every
  // step. kNaive does that and then looks at them for each query head of each token by itself.
  enum class Attention : std::uint8_t { kPaged, kGathered, kNaive };

  // kBatch: all compute threads, and where the highest logit is all that is wanted, it is found as logits are computed.
  // kOneByOne: one row after the other on one thread, from all of its logits.
  enum class Sampling : std::uint8_t { kBatch, kOneByOne };

  Rows rows = Rows::kTogether;
  Attention attention = Attention::kPaged;
  Sampling sampling = Sampling::kBatch;

  [[nodiscard]] bool gathers() const { return attention != Attention::kPaged; }
};

}  // namespace mie::native
