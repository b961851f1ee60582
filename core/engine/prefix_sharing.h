// Lets sequences share K,V that are the same: what the prefix cache still has of a prompt, and the prompt of which several
// choices are asked. Says where a waiting sequence can start, and makes known what a running one has computed.
// A member of EngineCore, whose pool outlives it. Engine thread only.
#pragma once

#include "core/engine/engine_options.h"
#include "core/engine/live_requests.h"
#include "kv/prefix_index.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mie {

class PrefixSharing {
 public:
  PrefixSharing(BlockPool& pool, const EngineOptions& options);

  // Before the look-ups of a step: which blocks are being computed by those that run.
  void begin(std::span<LiveRequest* const> running);

  // Brings `live.start` up to date: the longest prefix that is cached, or that another choice of its prompt has computed; all
  // but the last token at most, since that one's logits are wanted; nothing where those of the whole prompt are. Held while a
  // sequence before it computes the block that it wants next, or a choice before it the prompt. REQUIRES: live waits; those
  // before it in line have been looked up.
  void look_up(LiveRequest& live);

  // Indexes the blocks that have become full. Where their content is known already, the sequence goes on with the known ones.
  // REQUIRES: live runs. Does not allocate, but for a salt.
  void publish(LiveRequest& live);

  // A choice of this group has left the engine. Without a prefix cache nobody can want its blocks after the last of them.
  void ended(const ChoiceGroup& group);

  // Evicts cached blocks until `n` are free; returns how many. REQUIRES: so many are available.
  int make_free(int n);

  // Drops whatever no sequence holds. Returns how many blocks.
  int flush() { return index_.flush(); }

  void check() const { index_.check(); }

 private:
  // Which block a sequence computes next, behind the first `n_known`. None: it has no full one to compute.
  [[nodiscard]] std::optional<std::uint64_t> next_block(const LiveRequest& live, std::span<const BlockId> known) const;
  [[nodiscard]] bool shares(const LiveRequest& live) const;
  void copy_prompt(LiveRequest& live, const Sequence& source) const;

  PrefixIndex index_;
  const BlockPool& pool_;
  int block_size_;
  bool caches_;
  std::vector<std::uint64_t> computing_;  // next blocks of the sequences that run, or are before this one in line
};

}  // namespace mie
