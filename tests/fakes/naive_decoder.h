// The decoder once more, from the formulas of its papers, in double precision and plain loops over one sequence without a
// cache. Shares no code with the backends. Test code.
#pragma once

#include "tests/fakes/synthetic_model.h"

#include <span>
#include <vector>

namespace mie::test {

// log softmax of the last position's logits, [n_vocab].
[[nodiscard]] std::vector<double> naive_logprobs(const SyntheticModel& model, std::span<const TokenId> tokens);

}  // namespace mie::test
