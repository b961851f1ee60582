// The KV cache of the native backend: pages in one arena, laid out for the attention kernels (kernel_table.h, KvHead).
// A page is a block of the engine's pool. Owned by the runner; a step writes each (layer, head) from one thread at a time.
#pragma once

#include "core/base/error.h"
#include "models/model_runner.h"
#include "models/model_spec.h"
#include "models/native/arena.h"
#include "models/native/kernels/kernel_table.h"

#include <cstdint>
#include <span>

namespace mie::native {

class KvPages {
 public:
  // Reserves, but does not touch: a page costs memory once a token is written to it.
  // Error kConfig: no memory, or a block size that is neither 8, 16 nor a multiple of 32, unless there is one block per
  // sequence (the contiguous baseline), where any size works.
  static Result<KvPages> make(const ModelSpec& spec, int n_blocks, int block_size);

  // K and V of one layer and KV head, seen through the block table of one sequence.
  [[nodiscard]] KvHead head(int layer, int kv_head, const std::int32_t* block_table) const;

  // Copies a page of all layers.
  void copy(BlockCopy copy);

  // Writes the K (or V) of one token, already rounded to bf16. The V of an even position also clears its neighbour's slot:
  // kernels read V in pairs, and what an earlier owner of the page left there may not be finite.
  static void store_key(const KvHead& kv, int position, std::span<const std::uint16_t> k);
  static void store_value(const KvHead& kv, int position, std::span<const std::uint16_t> v);
  // One number of a token's K (or V) as stored.
  [[nodiscard]] static std::uint16_t key(const KvHead& kv, int position, int dim);
  [[nodiscard]] static std::uint16_t value(const KvHead& kv, int position, int dim);

  // Bytes of all pages of all layers.
  [[nodiscard]] std::int64_t bytes() const { return page_bytes_ * n_layers_ * n_blocks_; }

 private:
  KvPages(Arena arena, const ModelSpec& spec, int n_blocks, int block_size);
  static std::int64_t head_bytes(const ModelSpec& spec, int block_size);

  Arena arena_;
  std::byte* base_;
  int n_layers_, n_blocks_, block_size_, head_dim_, tile_;
  std::int64_t head_bytes_, page_bytes_;  // of one KV head, of all KV heads, in one page of one layer
};

}  // namespace mie::native
