// The native CPU backend: packed weights, paged KV and our own kernels behind ModelRunner. Every row's bits are the same
// for any batch, chunking, page size and number of threads. Used by the engine thread, which becomes compute thread 0.
#pragma once

#include "core/base/error.h"
#include "models/layer_tap.h"
#include "models/model_runner.h"
#include "models/model_spec.h"
#include "models/native/fused_linear.h"
#include "models/native/isa.h"
#include "models/native/packed_model.h"
#include "models/native/switches.h"
#include "models/weights/weight_source.h"

#include <memory>
#include <vector>

namespace mie::native {

struct NativeOptions {
  int n_blocks = 0;
  int block_size = 0;     // tokens
  int max_rows = 0;       // tokens of the largest step
  int max_logits = 0;     // rows whose logits are held at a time; a step that wants more takes them in turn
  int max_positions = 0;  // of one sequence
  int n_tokens = 0;       // ids from here on are padding of the vocabulary and never sampled
  ComputeMode mode = ComputeMode::kW4A8;
  Isa isa = Isa::kScalar;
  int n_threads = 1;
  std::vector<int> cores;  // thread i runs on cores[i]; empty: not pinned
  Switches switches{};
  LayerTap* tap = nullptr;  // sees every tensor of every step
};

// Packs the weights and takes the memory. `source` is not used after the return.
// Errors: kModelFormat (a shape this backend does not run), kConfig (memory).
Result<std::unique_ptr<ModelRunner>> make_native_runner(const ModelPlan& plan, const WeightSource& source,
                                                        const NativeOptions& options, const PackProgress& progress);

}  // namespace mie::native
