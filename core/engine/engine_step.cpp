// EngineCore's step; the rest of the class is in engine_core.cpp.
#include "core/base/ensure.h"
#include "core/engine/admission.h"
#include "core/engine/batch_pack.h"
#include "core/engine/engine_core.h"
#include "core/sched/plan_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace mie {

// The waiting sequences of a plan, admitted for the time of the step and put back unless kept. They hold no blocks before
// the commit, so putting back is exact.
class EngineCore::Admission {
 public:
  explicit Admission(std::size_t n_rows) { admitted_.reserve(n_rows); }
  ~Admission() {
    for (Sequence* seq : admitted_) seq->preempt();
  }
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  void admit(Sequence& seq) {
    seq.admit();
    admitted_.push_back(&seq);
  }
  void keep() { admitted_.clear(); }

 private:
  std::vector<Sequence*> admitted_;
};

EngineCore::Progress EngineCore::step() {
  Stamps stamps{.begin = parts_.clock.now(), .planned = {}, .ran = {}};
  plan();
  make_room();
  if (plan_.run.empty()) return std::exchange(plan_, {}) == StepPlan{} ? Progress::kNone : Progress::kSome;
  stamps.planned = parts_.clock.now();

  find_rows();
  const auto joins = [](const StepRow& row) { return row.joins; };
  Admission admission(static_cast<std::size_t>(std::count_if(work_.rows.begin(), work_.rows.end(), joins)));
  for (const StepRow& row : work_.rows) {
    if (row.joins) admission.admit(row.live->seq);
  }
  KvReservation held(pool_, work_.reserved);
  reserve(held);
  run_model(held);
  stamps.ran = parts_.clock.now();

  held.commit();  // the last thing that may throw and change nothing
  changing_ = true;
  admission.keep();
  commit(stamps);
  notify();
  plan_.clear();
  changing_ = false;
  return Progress::kSome;
}

void EngineCore::plan() {
  const KvBudget budget{.n_free_blocks = pool_.n_free(), .n_blocks = pool_.n_blocks(), .block_size = options_.block_size};
  StepPlan memory = std::move(plan_);
  plan_.clear();  // a throw from here on has no plan
  requests_.view(work_.views);
  const StepLimits limits = budget_.limits(options_.limits, work_.views);
  plan_ = parts_.scheduler.plan(work_.views, budget, limits, std::move(memory));
  if (options_.paranoid) check_plan(budget, limits);
}

void EngineCore::check_plan(KvBudget budget, StepLimits limits) const {
  const auto broken = plan_check(work_.views, budget, limits, plan_);
  ENSURE(broken.empty(), fmt::format("the plan breaks its promises: {}", fmt::join(broken, "; ")));
}

void EngineCore::make_room() {
  if (plan_.evict.empty() && plan_.reject.empty()) return;
  changing_ = true;
  {
    const auto held = metrics_.lock();
    for (const RequestId id : plan_.evict) {
      LiveRequest& live = requests_.live(id);
      live.seq.preempt();
      ++live.times.n_preemptions;
      requests_.preempted(live);
      metrics_.preempted(live.seq.n_total());
    }
    for (const RequestId id : plan_.reject) {
      LiveRequest& live = requests_.live(id);
      const Sequence& seq = live.seq;
      const Error error = context_length_exceeded(longest_request(options_), seq.n_prompt(), seq.max_total() - seq.n_prompt());
      end(live, {.reason = FinishReason::kError, .error = error}, {});
    }
    publish_kv();
  }
  notify();
  changing_ = false;
}

void EngineCore::find_rows() {
  work_.rows.clear();
  for (const Scheduled& scheduled : plan_.run) {
    LiveRequest& live = requests_.live(scheduled.id);
    work_.rows.push_back({.live = &live, .scheduled = scheduled, .joins = live.seq.state() == SeqState::kWaiting});
  }
}

void EngineCore::reserve(KvReservation& held) {
  for (const StepRow& row : work_.rows) {
    ENSURE(held.reserve(row.live->seq.blocks(), row.scheduled.n_new_blocks),
           fmt::format("the plan takes more blocks than the {} free ones", pool_.n_free()));
  }
}

void EngineCore::run_model(const KvReservation& held) {
  work_.packed.clear();
  for (int i = 0; i < held.n_rows(); ++i) {
    const StepRow& row = work_.rows[static_cast<std::size_t>(i)];
    work_.packed.push_back({.sequence = &row.live->seq, .scheduled = row.scheduled, .new_blocks = held.reserved(i)});
  }
  pack_sampling_rows(work_.packed, work_.sampling);
  pack_batch(work_.packed, work_.batch);
  work_.sampled.resize(work_.sampling.size());
  parts_.runner.run(work_.batch, work_.sampling, work_.sampled);
}

void EngineCore::commit(const Stamps& stamps) {
  const auto held = metrics_.lock();
  StepFigures figures{.n_seqs = static_cast<int>(work_.rows.size())};
  auto next = work_.sampled.begin();
  for (const StepRow& row : work_.rows) {
    row.live->times.max_batch = std::max(row.live->times.max_batch, figures.n_seqs);
    figures.n_tokens += row.scheduled.n_tokens;
    if (row.scheduled.samples) {
      advance(row, stamps, next->token);
      hand_over(*row.live, std::move(*next++), stamps.ran);
    } else {
      advance(row, stamps, {});
    }
  }
  publish_kv();
  figures.plan = stamps.planned - stamps.begin;
  figures.run = stamps.ran - stamps.planned;
  budget_.ran(figures.n_tokens, figures.run);
  figures.commit = parts_.clock.now() - stamps.ran;
  metrics_.step(figures);
}

void EngineCore::advance(const StepRow& row, const Stamps& stamps, std::optional<TokenId> sampled) {
  LiveRequest& live = *row.live;
  if (row.joins) {
    metrics_.admitted(live.seq.n_total());
    requests_.admitted(live);
    if (!live.times.admitted) live.times.admitted = stamps.begin;
  }
  count_computed(live, row.scheduled, stamps.ran);
  live.seq.commit(row.scheduled.n_tokens, sampled);
  ++live.times.n_steps;
}

// Worked example, prompt of 10, evicted after 6 computed, then rows 0 … 7: 6 are recomputed, 2 are prefill.
void EngineCore::count_computed(LiveRequest& live, const Scheduled& scheduled, Clock::time_point now) {
  const int n_prompt = live.seq.n_prompt();
  const int seen = live.n_ever_computed;
  const int end = scheduled.first_position + scheduled.n_tokens;
  const int fresh = std::max(scheduled.first_position, seen);  // first row that was never computed before
  const int n_again = std::min(end, fresh) - scheduled.first_position;
  const int n_prefill = std::max(0, std::min(end, n_prompt) - fresh);
  metrics_.computed(ComputeKind::kRecompute, n_again);
  metrics_.computed(ComputeKind::kPrefill, n_prefill);
  metrics_.computed(ComputeKind::kDecode, scheduled.n_tokens - n_again - n_prefill);
  live.n_ever_computed = std::max(seen, end);
  if (seen < n_prompt && end >= n_prompt) {
    live.times.prefill_end = now;
    metrics_.prefill_complete(n_prompt, live.times.n_cached_tokens);
  }
}

void EngineCore::hand_over(LiveRequest& live, Sampled sampled, Clock::time_point now) {
  RequestTimes& times = live.times;
  if (times.first_token) {
    metrics_.next_token(now - *times.last_token);
  } else {
    times.first_token = now;
    metrics_.first_token(now - times.arrival);
  }
  times.last_token = now;

  const Sequence& seq = live.seq;
  const Request& request = seq.request();
  const TokenId token = sampled.token;
  SampledTokens tokens;
  tokens.push_back(std::move(sampled));
  const bool may_stop = seq.n_generated() > request.min_tokens;  // stop ids are banned until then
  if (may_stop && std::find(request.stop_ids.begin(), request.stop_ids.end(), token) != request.stop_ids.end()) {
    end(live, {.reason = FinishReason::kStop, .stop_id = token}, std::move(tokens));
  } else if (seq.n_total() == seq.max_total() || seq.n_total() >= options_.max_model_len) {
    end(live, {.reason = FinishReason::kLength}, std::move(tokens));
  } else {
    outbox_.emplace_back(live.stream, TokenBatch{.tokens = std::move(tokens)});
  }
}

}  // namespace mie
