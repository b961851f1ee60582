// The engine's state and its step as plain functions: no coroutine, no thread, no loop, so that tests drive it step by
// step. Engine (engine.h) gives it a thread, feeds it mail and decides what an exception means.
// A member of the engine; scheduler, runner, clock and metrics outlive it. Engine thread only.
#pragma once

#include "core/base/clock.h"
#include "core/engine/engine_metrics.h"
#include "core/engine/engine_options.h"
#include "core/engine/live_requests.h"
#include "core/engine/mailbox.h"
#include "core/engine/prefix_sharing.h"
#include "core/engine/snapshot.h"
#include "core/engine/step_budget.h"
#include "core/engine/step_trace.h"
#include "core/engine/step_work.h"
#include "core/sched/scheduler.h"
#include "kv/block_pool.h"
#include "models/model_runner.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace mie {

// The parts that main built and the engine refers to.
struct EngineParts {
  const Scheduler& scheduler;
  ModelRunner& runner;
  const Clock& clock;
};

class EngineCore {
 public:
  EngineCore(const EngineOptions& options, EngineParts parts, EngineMetrics& metrics);

  // New requests join the waiting line; released ones leave the engine, their blocks are free.
  void take(Mail mail);

  // Ends what is past its deadline.
  void reap();

  enum class Progress { kSome, kNone };

  // One step: plan, reserve, run, commit, notify. Evictions and rejections are complete in themselves; from the
  // reservation on it is a transaction, and a throw before the commit leaves everything as it was.
  // kNone: there is work but the scheduler planned nothing, which is a bug.
  // REQUIRES: not idle.
  Progress step();

  // After step() threw: whether state was being changed at that moment and so cannot be trusted any more.
  [[nodiscard]] bool torn() const { return changing_; }

  // After step() threw and the state is whole: the sequences of its plan end with kModelError, the others are unharmed.
  // kNone: it threw before there was a plan, so nothing ended. REQUIRES: nothing was called since step().
  Progress end_failed_step();

  // Ends every request that never ran. Those that ran and were preempted go on.
  void end_unstarted(const Error& error);
  void end_all(FinishReason reason, const Error& error);

  // Drops every cached block that no sequence holds. Returns how many.
  int flush_prefixes();

  // No request is waiting or running.
  [[nodiscard]] bool idle() const { return requests_.empty(); }

  [[nodiscard]] EngineSnapshot snapshot() const;
  [[nodiscard]] const StepTrace& trace() const { return trace_; }

  // InvariantError with every broken one in its text.
  void check_invariants() const;

 private:
  struct Stamps {
    Clock::time_point begin, planned, ran;
  };
  class Admission;

  void draft();
  void look_up_prefixes();
  void view(Clock::time_point now);
  void plan(Clock::time_point now);
  void check_plan(KvBudget budget, StepLimits limits) const;
  void make_room();
  void find_rows();
  void reserve(KvReservation& held);
  void run_model(const KvReservation& held);
  void commit(const Stamps& stamps);
  [[nodiscard]] std::size_t n_kept(const StepRow& row, std::span<const Sampled> sampled) const;
  void advance(const StepRow& row, const Stamps& stamps, std::span<const Sampled> kept);
  void join(LiveRequest& live, Clock::time_point now);
  void count_computed(LiveRequest& live, const Scheduled& scheduled, int n_rejected, Clock::time_point now);
  void hand_over_scores(LiveRequest& live, std::span<Sampled> scores);
  void hand_over(LiveRequest& live, std::span<Sampled> kept, Clock::time_point now);
  [[nodiscard]] std::optional<Finish> ending(const Sequence& seq, TokenId token, int n_generated) const;

  void release(RequestId id, const Release& release);
  void end_each(const std::vector<LiveRequest*>& requests, FinishReason reason, const Error& error);
  void end(LiveRequest& live, Finish finish, SampledTokens last_tokens);
  void publish_kv();
  void notify();

  template <class... Parameters, class... Arguments>
  void tell(void (EngineObserver::*event)(Parameters...), const Arguments&... arguments) {
    (trace_.*event)(arguments...);
    if (options_.observer != nullptr) (options_.observer->*event)(arguments...);
  }

  const EngineOptions& options_;
  const EngineParts parts_;
  EngineMetrics& metrics_;
  BlockPool pool_;
  PrefixSharing sharing_;
  LiveRequests requests_;  // its tables draw on pool_
  StepPlan plan_;          // of the step that is being made; empty between steps
  StepWork work_;
  StepBudget budget_;
  StepTrace trace_;
  bool changing_ = false;  // set where a throw would leave the state half changed or a token on no stream

  // Events of this change, pushed once state and counters agree: who sees an event finds it counted.
  std::vector<std::pair<std::shared_ptr<TokenStream>, TokenBatch>> outbox_;
};

}  // namespace mie
