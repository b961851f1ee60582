// A copy of the engine's live state as plain records, and the one list of everything that must be true of it. Two equal
// snapshots mean that the engine would go on in the same way. Values and pure functions; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/id.h"
#include "core/sequence.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mie {

struct SequenceRecord {
  RequestId id;
  SeqState state = SeqState::kWaiting;
  bool preempted = false;
  Clock::time_point rank{};
  int n_prompt = 0, n_total = 0, n_computed = 0, max_total = 0;
  TokenId last_token{};
  std::vector<BlockId> blocks{};  // its table

  friend bool operator==(const SequenceRecord&, const SequenceRecord&) = default;
};

struct EngineSnapshot {
  int block_size = 0;
  int n_free_blocks = 0;
  int n_cached_blocks = 0;
  std::vector<int> n_references;        // [n_blocks]
  std::vector<SequenceRecord> running;  // both in line order
  std::vector<SequenceRecord> waiting;
  std::int64_t n_generated_ended = 0;  // sampled tokens of requests that ended and were not released
  int n_unreleased = 0;                // requests of which a release is still owed

  // What the counters say of the same moment. Waiting ones include requests that came in and were not looked at yet.
  int counted_running = 0, counted_waiting = 0;
  std::int64_t counted_waiting_tokens = 0;
  std::int64_t counted_pending_tokens = 0;

  [[nodiscard]] int n_available() const { return n_free_blocks + n_cached_blocks; }
  [[nodiscard]] int n_blocks() const { return static_cast<int>(n_references.size()); }

  friend bool operator==(const EngineSnapshot&, const EngineSnapshot&) = default;
};

// One line per broken invariant, with the ids and numbers; empty: all hold. O(blocks + table entries).
[[nodiscard]] std::vector<std::string> broken_invariants(const EngineSnapshot& snapshot);

}  // namespace mie
