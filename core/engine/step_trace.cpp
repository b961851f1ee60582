#include "core/engine/step_trace.h"

#include <algorithm>

namespace mie {
namespace {

constexpr int kUsualSeqs = 64;     // for so many rows a step there is memory; more push older steps out
constexpr int kEventsPerStep = 4;  // far above what steady work has

std::size_t n_of(int value) { return static_cast<std::size_t>(value); }

// Room for the largest step, evicted ones included, and for the usual ones.
std::size_t row_capacity(int n_steps, int max_seqs) {
  return std::max(n_of(n_steps) * n_of(std::min(max_seqs, kUsualSeqs)), 2 * n_of(max_seqs));
}

void add(RowTokens& sum, const RowTokens& more) {
  sum.n_prefill += more.n_prefill;
  sum.n_recompute += more.n_recompute;
  sum.n_decode += more.n_decode;
  sum.n_rejected += more.n_rejected;
}

}  // namespace

StepTrace::StepTrace(int n_steps, int max_seqs, int n_blocks)
    : n_blocks_(n_blocks),
      steps_(n_of(n_steps)),
      rows_(row_capacity(n_steps, max_seqs)),
      events_(n_of(n_steps) * kEventsPerStep) {}

void StepTrace::event(RequestEvent::Kind kind, RequestId id, Clock::time_point at) {
  events_.push({.kind = kind, .id = id, .at = at, .step = open_.number, .arrival = {}});
}

void StepTrace::taken(const Submission& submission) noexcept {
  event(RequestEvent::Kind::kSubmitted, submission.request->id, submission.enqueued);
  events_.back().arrival = submission.request->arrival;
  events_.back().n_tokens = static_cast<int>(submission.request->prompt.size());
}

void StepTrace::planned(const StepPlan& plan, Clock::time_point /*at*/) noexcept {
  open_ = TracedStep{.number = open_.number + 1, .begin = {}};
  open_.first_row = rows_.end();
  open_.n_evicted = static_cast<int>(plan.evict.size());
  open_.n_rejected = static_cast<int>(plan.reject.size() + plan.late.size());
  joining_ = {};
}

void StepTrace::preempted(RequestId id, Clock::time_point at) noexcept {
  event(RequestEvent::Kind::kPreempted, id, at);
  rows_.push({.id = id, .event = TracedRow::Event::kPreempted});
}

void StepTrace::admitted(RequestId id, Clock::time_point at) noexcept {
  event(RequestEvent::Kind::kAdmitted, id, at);
  joining_ = id;
}

void StepTrace::row(const Scheduled& scheduled, const RowTokens& tokens) noexcept {
  const int n_accepted = scheduled.n_drafts - tokens.n_rejected;
  rows_.push({.id = scheduled.id,
              .first_position = scheduled.first_position,
              .n_tokens = scheduled.n_tokens,
              .n_drafts = scheduled.n_drafts,
              .n_accepted = n_accepted,
              .tokens = tokens,
              .sampled = scheduled.samples,
              .event = scheduled.id == joining_ ? TracedRow::Event::kJoined : TracedRow::Event::kNone});
  ++open_.n_seqs;
  open_.n_rows += scheduled.n_tokens;
  open_.n_drafts_accepted += n_accepted;
  open_.n_blocks_taken += scheduled.n_new_blocks;
  add(open_.tokens, tokens);
}

void StepTrace::first_token(RequestId id, Clock::time_point at) noexcept { event(RequestEvent::Kind::kFirstToken, id, at); }

void StepTrace::ended(const Sequence& seq, const Finish& finish) noexcept {
  event(RequestEvent::Kind::kEnded, seq.id(), finish.times.finished.value_or(Clock::time_point{}));
  events_.back().n_tokens = seq.n_generated();
  events_.back().reason = finish.reason;
  if (rows_.end() == open_.first_row) return;
  TracedRow& row = rows_.back();
  if (row.id != seq.id() || row.event == TracedRow::Event::kPreempted) return;  // not by a token of this step
  row.event = row.event == TracedRow::Event::kJoined ? TracedRow::Event::kJoinedAndEnded : TracedRow::Event::kEnded;
}

void StepTrace::committed(const CommittedStep& step) noexcept {
  open_.begin = step.begin;
  open_.plan = step.plan;
  open_.run = step.run;
  open_.commit = step.commit;
  open_.n_traced_rows = rows_.end() - open_.first_row;
  open_.n_blocks_used = step.n_blocks_used;
  open_.n_blocks_free = n_blocks_ - step.n_blocks_used;
  open_.n_blocks_back = open_.n_blocks_taken - (step.n_blocks_used - n_blocks_used_);
  n_blocks_used_ = step.n_blocks_used;
  steps_.push(open_);
  open_.first_row = rows_.end();  // what ends from now on ends outside of it
}

// Steps whose rows have been written over are gone, too.
std::int64_t StepTrace::first_whole_step() const {
  std::int64_t first = steps_.begin();
  while (first < steps_.end() && steps_[first].first_row < rows_.begin()) ++first;
  return first;
}

void StepTrace::copy_steps(std::int64_t first, StepTraceCopy& copy) const {
  for (std::int64_t number = first; number < steps_.end(); ++number) {
    TracedStep step = steps_[number];
    const std::int64_t first_row = step.first_row;
    step.first_row = static_cast<std::int64_t>(copy.rows.size());
    for (std::int64_t row = 0; row < step.n_traced_rows; ++row) copy.rows.push_back(rows_[first_row + row]);
    copy.steps.push_back(step);
  }
  copy.next.step = steps_.end();
}

StepTraceCopy StepTrace::last(int n) const {
  StepTraceCopy copy;
  copy_steps(std::max(first_whole_step(), steps_.end() - n), copy);
  copy.next.event = events_.end();
  return copy;
}

StepTraceCopy StepTrace::since(TraceCursor cursor) const {
  StepTraceCopy copy;
  const std::int64_t step = std::max(first_whole_step(), cursor.step);
  const std::int64_t event = std::max(events_.begin(), cursor.event);
  copy.n_lost_steps = step - cursor.step;
  copy.n_lost_events = event - cursor.event;
  copy_steps(step, copy);
  for (std::int64_t number = event; number < events_.end(); ++number) copy.events.push_back(events_[number]);
  copy.next.event = events_.end();
  return copy;
}

}  // namespace mie
