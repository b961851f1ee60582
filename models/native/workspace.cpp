#include "models/native/workspace.h"

#include "models/native/gathered_kv.h"

#include <algorithm>
#include <utility>

namespace mie::native {
namespace {

struct Sizes {
  std::size_t rows, logits, slots, hidden, heads, head_dim, attn_width, ffn, head_width, widest, tile_floats, gathered;
};

Sizes sizes_of(const PackedModel& model, const StepShape& shape) {
  const ModelSpec& spec = model.spec;
  Sizes s{};
  s.rows = static_cast<std::size_t>(shape.max_rows);
  s.logits = static_cast<std::size_t>(shape.max_logits);
  s.heads = static_cast<std::size_t>(spec.n_heads);
  s.head_dim = static_cast<std::size_t>(spec.head_dim);
  s.hidden = static_cast<std::size_t>(spec.hidden);
  s.attn_width = s.heads * s.head_dim;
  s.ffn = static_cast<std::size_t>(spec.ffn_hidden);
  s.head_width = model.head.panels.size() * kPanel;
  s.widest = std::max({s.hidden, s.attn_width, s.ffn});
  const auto widest_item = static_cast<std::size_t>(std::max(2, spec.head_dim / kPanel));
  s.tile_floats = widest_item * kRowBlock * kPanel;
  // Rows are split by chunk only while there are few of them: see AttentionPlan.
  const auto chunks = static_cast<std::size_t>((shape.max_positions + kAttnChunk - 1) / kAttnChunk);
  s.slots = chunks * std::min(s.rows, static_cast<std::size_t>(4 * shape.n_threads));
  s.gathered = shape.gathers ? gathered_bytes(shape.max_positions, spec.head_dim) : 0;
  return s;
}

struct Needs {
  ActNeeds hidden, attn, ffn, head;
};

Needs needs_of(const PackedModel& model, const KernelTable& kernels, ComputeMode mode) {
  Needs needs;
  for (const PackedLayer& layer : model.layers) {
    needs.hidden = needs.hidden | layer.qkv.needs(kernels, mode) | layer.gate_up.needs(kernels, mode);
    needs.attn = needs.attn | layer.attn_out.needs(kernels, mode);
    needs.ffn = needs.ffn | layer.down.needs(kernels, mode);
  }
  needs.head = model.head.needs(kernels, mode);
  return needs;
}

std::size_t arena_size(const Sizes& s, const Needs& needs, int n_threads) {
  const auto act = [](std::size_t rows, std::size_t k, ActNeeds n) {
    return ActBuffer::arena_bytes(static_cast<int>(rows), static_cast<int>(k), n);
  };
  const std::size_t per_thread = Arena::padded(s.tile_floats * 4) + Arena::padded(s.widest * 4) +
                                 2 * Arena::padded(kAttnRows * s.head_dim * 4) + Arena::padded(s.head_dim * 2) +
                                 Arena::padded(s.logits * sizeof(BestLogit)) + Arena::padded(s.gathered);
  return Arena::padded(s.rows * s.hidden * 4) + Arena::padded(s.rows * s.attn_width * 2) + act(s.rows, s.hidden, needs.hidden) +
         act(s.rows, s.attn_width, needs.attn) + act(s.rows, s.ffn, needs.ffn) + act(s.logits, s.hidden, needs.head) +
         Arena::padded(s.logits * s.head_width * 4) + 2 * Arena::padded(s.slots * s.heads * 4) +
         Arena::padded(s.slots * s.attn_width * 4) + static_cast<std::size_t>(n_threads) * per_thread;
}

}  // namespace

Result<Workspace> Workspace::make(const PackedModel& model, const KernelTable& kernels, ComputeMode mode,
                                  const StepShape& shape) {
  const Sizes s = sizes_of(model, shape);
  const Needs needs = needs_of(model, kernels, mode);
  auto arena = Arena::reserve(arena_size(s, needs, shape.n_threads));
  if (!arena) return arena.error();
  Workspace work;
  work.arena = std::move(*arena);
  Arena& from = work.arena;
  work.x = from.take_array<float>(s.rows * s.hidden);
  work.q = from.take_array<std::uint16_t>(s.rows * s.attn_width);
  const auto act = [&](std::size_t rows, std::size_t k, ActNeeds n) {
    return ActBuffer(static_cast<int>(rows), static_cast<int>(k), n, from);
  };
  work.hidden_in = act(s.rows, s.hidden, needs.hidden);
  work.attn_in = act(s.rows, s.attn_width, needs.attn);
  work.ffn_in = act(s.rows, s.ffn, needs.ffn);
  work.head_in = act(s.logits, s.hidden, needs.head);
  work.logits = from.take_array<float>(s.logits * s.head_width);
  work.part_max = from.take_array<float>(s.slots * s.heads);
  work.part_sum = from.take_array<float>(s.slots * s.heads);
  work.part_out = from.take_array<float>(s.slots * s.attn_width);
  work.parts_left = std::make_unique<std::atomic<int>[]>(s.rows * static_cast<std::size_t>(model.spec.n_kv_heads));
  for (int i = 0; i < shape.n_threads; ++i) {
    work.threads.push_back({from.take_array<float>(s.tile_floats).data(), from.take_array<float>(s.widest).data(),
                            from.take_array<float>(kAttnRows * s.head_dim).data(),
                            from.take_array<float>(kAttnRows * s.head_dim).data(),
                            from.take_array<std::uint16_t>(s.head_dim).data(), from.take_array<BestLogit>(s.logits).data(),
                            from.take_array<std::byte>(s.gathered)});
    work.tiles.push_back(work.threads.back().tile);
  }
  return work;
}

}  // namespace mie::native
