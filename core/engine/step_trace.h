// What the last steps planned, ran and cost, and what happened to the requests meanwhile: rings of numbers whose memory is
// taken at the start, so that a steady engine records without an allocation.
// A member of EngineCore; engine thread only. Others get a copy (Engine::last_steps, Engine::steps_since).
#pragma once

#include "core/base/clock.h"
#include "core/base/id.h"
#include "core/engine/bounded_ring.h"
#include "core/engine/engine_observer.h"
#include "core/finish.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mie {

// One sequence in a step. A preempted one has no tokens here: it lost its blocks.
struct TracedRow {
  enum class Event : std::uint8_t { kNone, kJoined, kPreempted, kEnded, kJoinedAndEnded };

  RequestId id;
  int first_position = 0;
  int n_tokens = 0;                  // drafts included
  int n_drafts = 0, n_accepted = 0;  // n_drafts - n_accepted were computed in vain
  RowTokens tokens{};                // the same by kind
  bool sampled = false;
  Event event = Event::kNone;
};

// One committed step.
struct TracedStep {
  std::int64_t number = 0;  // counts every step that was planned, also those that failed, from 1
  Clock::time_point begin;
  Clock::duration plan{}, run{}, commit{};
  int n_rows = 0;  // tokens in the batch
  int n_seqs = 0;
  RowTokens tokens{};
  int n_drafts_accepted = 0;                      // of the decode tokens; those in vain are tokens.n_rejected
  int n_blocks_taken = 0;                         // new ones, by the rows of this step
  int n_blocks_back = 0;                          // returned since the step before, less those found in the prefix cache
  int n_blocks_used = 0, n_blocks_free = 0;       // afterwards
  int n_evicted = 0, n_rejected = 0;              // requests
  std::int64_t first_row = 0, n_traced_rows = 0;  // of the copy's rows: n_evicted preempted ones, then n_seqs
};

struct RequestEvent {
  enum class Kind : std::uint8_t { kSubmitted, kAdmitted, kFirstToken, kPreempted, kEnded };

  Kind kind = Kind::kSubmitted;
  RequestId id;
  Clock::time_point at;
  std::int64_t step = 0;      // the one it happened in, or the last before it
  Clock::time_point arrival;  // kSubmitted
  int n_tokens = 0;           // kSubmitted: of the prompt; kEnded: generated
  FinishReason reason{};      // kEnded
};

// Up to where a reader has read.
struct TraceCursor {
  std::int64_t step = 0, event = 0;
};

struct StepTraceCopy {
  std::vector<TracedStep> steps;
  std::vector<TracedRow> rows;
  std::vector<RequestEvent> events;
  std::int64_t n_lost_steps = 0, n_lost_events = 0;  // after the cursor, but no longer in the rings
  TraceCursor next;

  [[nodiscard]] std::span<const TracedRow> rows_of(const TracedStep& step) const {
    return std::span(rows).subspan(static_cast<std::size_t>(step.first_row), static_cast<std::size_t>(step.n_traced_rows));
  }
};

class StepTrace final : public EngineObserver {
 public:
  // Holds `n_steps` steps; fewer where they have far more rows than usual. `max_seqs`: in a step.
  StepTrace(int n_steps, int max_seqs, int n_blocks);

  void taken(const Submission& submission) noexcept override;
  void planned(const StepPlan& plan, Clock::time_point at) noexcept override;
  void preempted(RequestId id, Clock::time_point at) noexcept override;
  void admitted(RequestId id, Clock::time_point at) noexcept override;
  void row(const Scheduled& scheduled, const RowTokens& tokens) noexcept override;
  void first_token(RequestId id, Clock::time_point at) noexcept override;
  void ended(const Sequence& seq, const Finish& finish) noexcept override;
  void committed(const CommittedStep& step) noexcept override;

  // The last `n` steps, without events.
  [[nodiscard]] StepTraceCopy last(int n) const;
  [[nodiscard]] StepTraceCopy since(TraceCursor cursor) const;

 private:
  [[nodiscard]] std::int64_t first_whole_step() const;
  void copy_steps(std::int64_t first, StepTraceCopy& copy) const;
  void event(RequestEvent::Kind kind, RequestId id, Clock::time_point at);

  const int n_blocks_;
  BoundedRing<TracedStep> steps_;
  BoundedRing<TracedRow> rows_;
  BoundedRing<RequestEvent> events_;
  TracedStep open_;        // the step that is being made; first_row counts in rows_
  RequestId joining_{};    // of the row that comes next
  int n_blocks_used_ = 0;  // after the last committed step
};

}  // namespace mie
