// EngineCore's step up to the model; its commit is in engine_commit.cpp, the rest of the class in engine_core.cpp.
#include "core/base/ensure.h"
#include "core/engine/admission.h"
#include "core/engine/batch_pack.h"
#include "core/engine/engine_core.h"
#include "core/engine/ngram_draft.h"
#include "core/sched/plan_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace mie {

// The waiting sequences of a plan, admitted for the time of the step and put back unless kept. The only blocks that they hold
// before the commit are those that they found, which then are cached as before.
class EngineCore::Admission {
 public:
  explicit Admission(std::size_t n_rows) { admitted_.reserve(n_rows); }
  ~Admission() {
    for (Sequence* seq : admitted_) seq->preempt();
  }
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  void admit(LiveRequest& live) {
    live.seq.admit(live.start.match.blocks, live.start.n_copied);
    admitted_.push_back(&live.seq);
  }
  void keep() { admitted_.clear(); }

 private:
  std::vector<Sequence*> admitted_;
};

EngineCore::Progress EngineCore::step() {
  Stamps stamps{.begin = parts_.clock.now(), .planned = {}, .ran = {}};
  plan(stamps.begin);
  make_room();
  if (plan_.run.empty()) return std::exchange(plan_, {}) == StepPlan{} ? Progress::kNone : Progress::kSome;
  stamps.planned = parts_.clock.now();

  find_rows();
  const auto joins = [](const StepRow& row) { return row.joins; };
  Admission admission(static_cast<std::size_t>(std::count_if(work_.rows.begin(), work_.rows.end(), joins)));
  for (const StepRow& row : work_.rows) {
    if (row.joins) admission.admit(*row.live);
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

// Where the running sequences alone fill a step, drafts would only cost.
void EngineCore::draft() {
  if (options_.n_drafts == 0 || std::cmp_greater_equal(requests_.running().size(), options_.limits.draft_rows)) return;
  for (LiveRequest* live : requests_.running()) {
    Sequence& seq = live->seq;
    if (!seq.view().decodes()) continue;
    const int n_left = std::min(seq.max_total(), options_.max_model_len) - seq.n_total() - 1;
    ngram_draft(seq.tokens(), std::min(live->draft_length.next(), n_left), work_.drafts);
    seq.draft(work_.drafts);
  }
}

// Of as many waiting ones as there are seats for.
void EngineCore::look_up_prefixes() {
  sharing_.begin(requests_.running());
  auto n_seats = options_.limits.max_seqs - static_cast<int>(requests_.running().size());
  for (LiveRequest* live : requests_.waiting()) {
    if (n_seats > 0) {
      sharing_.look_up(*live);
      n_seats -= live->start.held ? 0 : 1;
    } else {
      live->start.forget();
    }
  }
}

// A deadline is a number of rows to the scheduler. While nothing runs nobody is late: trying harms no one, and what rows take
// is measured again.
void EngineCore::view(Clock::time_point now) {
  requests_.view(work_.views);
  if (requests_.running().empty()) return;
  auto view = work_.views.begin() + std::ssize(requests_.running());
  for (const LiveRequest* live : requests_.waiting()) {
    if (const auto& deadline = live->seq.request().deadline) view->n_timely = budget_.rows_within(*deadline - now);
    ++view;
  }
}

void EngineCore::plan(Clock::time_point now) {
  const KvBudget budget{.n_free_blocks = pool_.n_available(), .n_blocks = pool_.n_blocks(), .block_size = options_.block_size};
  StepPlan memory = std::move(plan_);
  plan_.clear();  // a throw from here on has no plan
  draft();
  look_up_prefixes();
  view(now);
  const StepLimits limits = budget_.limits(options_.limits, work_.views);
  plan_ = parts_.scheduler.plan(work_.views, budget, limits, std::move(memory));
  if (options_.paranoid) check_plan(budget, limits);
  if (plan_ != StepPlan{}) tell(&EngineObserver::planned, plan_, now);
}

void EngineCore::check_plan(KvBudget budget, StepLimits limits) const {
  const auto broken = plan_check(work_.views, budget, limits, plan_);
  ENSURE(broken.empty(), fmt::format("the plan breaks its promises: {}", fmt::join(broken, "; ")));
}

void EngineCore::make_room() {
  if (plan_.evict.empty() && plan_.reject.empty() && plan_.late.empty()) return;
  changing_ = true;
  {
    const auto held = metrics_.lock();
    for (const RequestId id : plan_.evict) {
      LiveRequest& live = requests_.live(id);
      live.seq.preempt();
      ++live.times.n_preemptions;
      tell(&EngineObserver::preempted, id, parts_.clock.now());
      requests_.preempted(live);
      metrics_.preempted(live.seq.n_total());
    }
    for (const RequestId id : plan_.reject) {
      LiveRequest& live = requests_.live(id);
      const Sequence& seq = live.seq;
      const Error error = context_length_exceeded(longest_request(options_), seq.n_prompt(), seq.max_total() - seq.n_prompt());
      end(live, {.reason = FinishReason::kError, .error = error}, {});
    }
    for (const RequestId id : plan_.late) {
      const Error error{Errc::kDeadlineExceeded, "the next token would come after the deadline of the request"};
      end(requests_.live(id), {.reason = FinishReason::kDeadline, .error = error}, {});
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
  int n_new_blocks = 0;
  for (const StepRow& row : work_.rows) n_new_blocks += row.scheduled.n_new_blocks;
  work_.n_evicted += sharing_.make_free(n_new_blocks);
  for (const StepRow& row : work_.rows) {
    ENSURE(held.reserve(row.live->seq.blocks(), row.scheduled.n_new_blocks),
           fmt::format("the plan takes more blocks than the {} free ones", pool_.n_free()));
  }
}

void EngineCore::run_model(const KvReservation& held) {
  work_.packed.clear();
  for (int i = 0; i < held.n_rows(); ++i) {
    const StepRow& row = work_.rows[static_cast<std::size_t>(i)];
    PackRow packed{
        .sequence = &row.live->seq, .scheduled = row.scheduled, .new_blocks = held.reserved(i), .n_told = row.live->n_told};
    if (row.joins && row.live->start.n_copied > 0) packed.copied_from = row.live->start.copied_from;
    work_.packed.push_back(packed);
  }
  pack_sampling_rows(work_.packed, work_.sampling);
  pack_batch(work_.packed, work_.batch);
  work_.sampled.resize(work_.sampling.size());
  parts_.runner.run(work_.batch, work_.sampling, work_.sampled);
}

}  // namespace mie
