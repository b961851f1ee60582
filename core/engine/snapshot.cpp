#include "core/engine/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace mie {
namespace {

using Lines = std::vector<std::string>;

template <class Visit>
void each_sequence(const EngineSnapshot& snapshot, const Visit& visit) {
  for (const auto& seq : snapshot.running) visit(seq);
  for (const auto& seq : snapshot.waiting) visit(seq);
}

void check_blocks(const EngineSnapshot& snapshot, Lines& broken) {
  std::vector<int> n_mapped(snapshot.n_references.size(), 0);
  each_sequence(snapshot, [&](const SequenceRecord& seq) {
    for (const BlockId block : seq.blocks) {
      if (block.value() < 0 || block.value() >= snapshot.n_blocks()) {
        broken.push_back(fmt::format("request {}: block {} is not in the pool", seq.id.value(), block.value()));
      } else {
        ++n_mapped[static_cast<std::size_t>(block.value())];
      }
    }
  });
  int n_owned = 0;
  for (std::size_t block = 0; block < n_mapped.size(); ++block) {
    const int n_references = snapshot.n_references[block];
    if (n_references > 0) ++n_owned;
    if (n_references != n_mapped[block])
      broken.push_back(fmt::format("block {}: {} references, {} table entries", block, n_references, n_mapped[block]));
  }
  if (snapshot.n_free_blocks + snapshot.n_cached_blocks + n_owned != snapshot.n_blocks())
    broken.push_back(fmt::format("{} free + {} cached + {} owned != {} blocks", snapshot.n_free_blocks,
                                 snapshot.n_cached_blocks, n_owned, snapshot.n_blocks()));
}

// Sequences share the front of their tables, of full blocks only.
void check_sharing(const EngineSnapshot& snapshot, Lines& broken) {
  for (const SequenceRecord& seq : snapshot.running) {
    int n_before = snapshot.n_blocks();
    for (std::size_t i = 0; i < seq.blocks.size(); ++i) {
      const int n = snapshot.n_references.at(static_cast<std::size_t>(seq.blocks[i].value()));
      const auto tell = [&](const char* what) {
        broken.push_back(fmt::format("request {}: block {} {}", seq.id.value(), seq.blocks[i].value(), what));
      };
      if (n > n_before) tell("has more owners than the one before it");
      if (n > 1 && static_cast<std::int64_t>(i + 1) * snapshot.block_size > seq.n_computed) tell("is shared and not full");
      n_before = n;
    }
  }
}

void check_sequence(const SequenceRecord& seq, int block_size, Lines& broken) {
  const auto tell = [&](const char* what) { broken.push_back(fmt::format("request {}: {}", seq.id.value(), what)); };
  if (seq.n_computed < 0 || seq.n_computed > seq.n_total) tell("n_computed is outside 0 … n_total");
  if (seq.n_total < seq.n_prompt || seq.n_total > seq.max_total) tell("n_total is outside n_prompt … max_total");
  const auto capacity = static_cast<std::int64_t>(seq.blocks.size()) * block_size;
  if (seq.n_computed > capacity) tell("more tokens computed than its blocks hold");
  if (capacity - seq.n_computed >= block_size) tell("holds a block that no computed token is in");
}

void check_lines(const EngineSnapshot& snapshot, Lines& broken) {
  for (const auto& seq : snapshot.running) {
    if (seq.state != SeqState::kRunning) broken.push_back(fmt::format("request {} runs but is not running", seq.id.value()));
    const bool only_scored = seq.max_total == seq.n_prompt && seq.n_computed < seq.n_total;  // asks for no token
    if (seq.n_total == seq.max_total && !only_scored)
      broken.push_back(fmt::format("request {} is complete but runs", seq.id.value()));
  }
  for (const auto& seq : snapshot.waiting) {
    if (seq.state != SeqState::kWaiting) broken.push_back(fmt::format("request {} waits but is not waiting", seq.id.value()));
    if (!seq.blocks.empty()) broken.push_back(fmt::format("request {} waits and holds blocks", seq.id.value()));
  }
  const auto before = [](const SequenceRecord& a, const SequenceRecord& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.id < b.id;
  };
  if (!std::is_sorted(snapshot.running.begin(), snapshot.running.end(), before))
    broken.emplace_back("the running line is not by rank");
  if (!std::is_sorted(snapshot.waiting.begin(), snapshot.waiting.end(), before))
    broken.emplace_back("the waiting line is not by rank");
}

void check_counters(const EngineSnapshot& snapshot, Lines& broken) {
  std::int64_t waiting_tokens = 0;
  std::int64_t pending_tokens = snapshot.n_generated_ended;
  for (const auto& seq : snapshot.waiting) waiting_tokens += seq.n_total;
  each_sequence(snapshot, [&](const SequenceRecord& seq) { pending_tokens += seq.n_total - seq.n_prompt; });
  const auto tell = [&](const char* what, std::int64_t counted, std::int64_t real) {
    broken.push_back(fmt::format("{}: counted {}, in fact {}", what, counted, real));
  };
  const auto n_running = static_cast<int>(snapshot.running.size());
  const auto n_waiting = static_cast<int>(snapshot.waiting.size());
  if (snapshot.counted_running != n_running) tell("running requests", snapshot.counted_running, n_running);
  if (snapshot.counted_waiting < n_waiting) tell("waiting requests", snapshot.counted_waiting, n_waiting);
  if (snapshot.counted_waiting_tokens < waiting_tokens) tell("waiting tokens", snapshot.counted_waiting_tokens, waiting_tokens);
  if (snapshot.counted_waiting == n_waiting && snapshot.counted_waiting_tokens != waiting_tokens)
    tell("waiting tokens", snapshot.counted_waiting_tokens, waiting_tokens);
  if (snapshot.counted_pending_tokens != pending_tokens)
    tell("tokens not settled", snapshot.counted_pending_tokens, pending_tokens);
  if (snapshot.n_unreleased < n_running + n_waiting) tell("releases owed", snapshot.n_unreleased, n_running + n_waiting);
}

}  // namespace

std::vector<std::string> broken_invariants(const EngineSnapshot& snapshot) {
  Lines broken;
  check_blocks(snapshot, broken);
  if (broken.empty()) check_sharing(snapshot, broken);
  each_sequence(snapshot, [&](const SequenceRecord& seq) { check_sequence(seq, snapshot.block_size, broken); });
  check_lines(snapshot, broken);
  check_counters(snapshot, broken);
  return broken;
}

}  // namespace mie
