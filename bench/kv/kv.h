// `mie bench kv`: what a KV cache holds and wastes for each block size, each figure in closed form, on the live pool and in
// resident memory; and, on a model, what a block size costs in time. Built from options, prints its report.
#pragma once

#include "bench/kv/capacity.h"
#include "core/base/error.h"
#include "models/native/isa.h"

#include <string>

namespace mie::bench {

struct KvOptions {
  ResidentMode resident = ResidentMode::kScaled;
  bool json = false;
  bool time = false;    // decode steps for each block size, too
  std::string model{};  // GGUF file for it
  int n_threads = 0;    // 0: one for each core
  native::Isa isa = native::Isa::kScalar;
};

struct KvOutcome {
  std::string text;        // for stdout
  bool failed = false;     // two ways disagree, or a published figure is missed
  bool disturbed = false;  // a time does not count: the machine was not ours alone
};

// Errors: those of opening the model and of reading resident memory.
Result<KvOutcome> run_kv(const KvOptions& options);

}  // namespace mie::bench
