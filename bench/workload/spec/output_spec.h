// Answers: how many tokens are asked for. Values; any thread.
#pragma once

#include "bench/workload/spec/length_spec.h"

namespace mie::bench {

struct OutputSpec {
  std::optional<LengthSpec> length;  // absent: the lengths of a file of prompts
  bool ignore_eos = true;
  bool exact = true;  // the least tokens are the most tokens
  double rho = 0;     // between the lengths of prompt and answer, as a Gaussian copula

  void describe(Fields& fields) {
    fields.field("length", length);
    fields.field("ignore_eos", ignore_eos);
    fields.field("exact", exact);
    fields.field("rho", rho, {-1, 1});
  }
};

}  // namespace mie::bench
