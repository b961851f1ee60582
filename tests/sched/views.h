// Short ways to write scheduler states in tests.
#pragma once

#include "core/sched/scheduler.h"

#include <vector>

namespace mie::test {

struct Progress {
  int prompt, total, computed, blocks, max_total;
};

inline SeqView running(std::uint64_t id, Progress at) {
  return {.id = RequestId(id),
          .running = true,
          .n_prompt = at.prompt,
          .n_total = at.total,
          .n_computed = at.computed,
          .n_blocks = at.blocks,
          .n_own_blocks = at.blocks,
          .max_total = at.max_total};
}

inline SeqView drafting(SeqView seq, int n_drafts) {
  seq.n_drafts = n_drafts;
  return seq;
}

// A request that was never admitted.
inline SeqView waiting(std::uint64_t id, int prompt, int max_total) {
  return {.id = RequestId(id), .n_prompt = prompt, .n_total = prompt, .max_total = max_total};
}

// With a deadline before which `n_timely` rows fit.
inline SeqView due(SeqView seq, int n_timely) {
  seq.n_timely = n_timely;
  return seq;
}

inline std::vector<RequestId> ids(std::initializer_list<std::uint64_t> values) {
  std::vector<RequestId> result;
  for (const std::uint64_t value : values) result.emplace_back(value);
  return result;
}

}  // namespace mie::test
