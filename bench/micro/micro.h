// `mie bench micro`: a probe of the machine, one micro-benchmark per kernel of the native backend, and the gates. Built from
// options, prints its report; the caller's thread becomes compute thread 0.
#pragma once

#include "core/base/error.h"
#include "models/native/isa.h"

#include <string>
#include <vector>

namespace mie::bench {

struct MicroOptions {
  std::vector<std::string> names{};  // parts of case names; empty: all cases; "probe" alone: none
  std::string model{};               // GGUF file whose whole step is measured too
  bool gates = false;                // judge them; without names, only the cases that they need run
  bool json = false;
  bool tiny = false;  // sizes of a test: every line runs, no figure means anything
  int n_threads = 0;  // 0: one for each core
  native::Isa isa = native::Isa::kScalar;
};

struct MicroOutcome {
  std::string text;        // for stdout
  bool failed = false;     // a gate
  bool disturbed = false;  // a gate could not be judged
};

// Errors: those of opening the model.
Result<MicroOutcome> run_micro(const MicroOptions& options);

}  // namespace mie::bench
