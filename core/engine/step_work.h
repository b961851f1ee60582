// What a step works in: filled anew by each, kept so that a steady engine allocates nothing.
// A member of EngineCore; engine thread only.
#pragma once

#include "core/engine/batch_pack.h"
#include "core/engine/live_requests.h"
#include "core/sched/scheduler.h"
#include "kv/reservation.h"
#include "models/model_runner.h"

#include <vector>

namespace mie {

// One sequence of the step.
struct StepRow {
  LiveRequest* live;
  Scheduled scheduled;
  bool joins;  // was waiting before this step
};

struct StepWork {
  // `max_blocks`: of one sequence. The block tables are all that would grow with the sequences; the rest has its size after
  // the first steps.
  StepWork(const StepLimits& limits, int max_blocks) {
    batch.block_tables.reserve(static_cast<std::size_t>(limits.max_seqs) * static_cast<std::size_t>(max_blocks));
  }

  std::vector<TokenId> drafts;
  std::vector<SeqView> views;
  std::vector<StepRow> rows;
  KvReservation::Memory reserved;
  int n_evicted = 0;  // cached blocks that made room, not counted yet
  std::vector<PackRow> packed;
  StepBatch batch;
  std::vector<SamplingRow> sampling;
  std::vector<Sampled> sampled;
};

}  // namespace mie
