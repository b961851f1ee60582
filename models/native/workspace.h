// Every buffer that a step writes, sized once for the largest step and taken from one arena: a step allocates nothing.
// Owned by the runner.
#pragma once

#include "core/base/error.h"
#include "models/native/activations.h"
#include "models/native/packed_model.h"

#include <atomic>
#include <memory>
#include <span>
#include <vector>

namespace mie::native {

// The largest step.
struct StepShape {
  int max_rows = 0;       // tokens
  int max_logits = 0;     // rows whose logits are held at a time
  int max_positions = 0;  // of one sequence
  int n_threads = 1;
  bool gathers = false;  // attention copies K and V into one piece (switches.h)
};

struct Workspace {
  // What one thread needs for itself.
  struct Thread {
    float* tile;                    // one item of a linear operator: kRowBlock rows of the widest item
    float* row;                     // a row of the widest width
    float* partial;                 // attention: kAttnRows x head_dim
    float* running;                 // attention: kAttnRows x head_dim
    std::uint16_t* bf16_row;        // head_dim
    BestLogit* best;                // [logits] of the panels that this thread computed
    std::span<std::byte> gathered;  // K and V of one head of the longest sequence, or empty
  };

  static Result<Workspace> make(const PackedModel& model, const KernelTable& kernels, ComputeMode mode, const StepShape& shape);

  std::span<float> x;                              // [rows, hidden] residual stream
  std::span<std::uint16_t> q;                      // [n_kv_heads, rows, group, head_dim] rotated queries
  ActBuffer hidden_in;                             // [rows, hidden] input of qkv and gate_up
  ActBuffer attn_in;                               // [rows, n_heads * head_dim] input of attn_out
  ActBuffer ffn_in;                                // [rows, ffn_hidden] input of down
  ActBuffer head_in;                               // [logits, hidden]
  std::span<float> logits;                         // [logits, panels of the head * 32]
  std::span<float> part_max, part_sum;             // [slots, n_heads]
  std::span<float> part_out;                       // [slots, n_heads, head_dim]
  std::unique_ptr<std::atomic<int>[]> parts_left;  // [rows, n_kv_heads], back at 0 after every layer
  std::vector<Thread> threads;
  std::vector<float*> tiles;  // [threads], for run_linear
  Arena arena;
};

}  // namespace mie::native
