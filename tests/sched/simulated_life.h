// The engine's step loop without model, clock or threads: real sequences, pool and reservation under a real scheduler.
// Every plan goes through plan_check, and what must hold between steps is checked after each. For tests.
#pragma once

#include "core/sched/make_scheduler.h"
#include "core/sequence.h"
#include "kv/block_pool.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mie::test {

struct LifeOptions {
  SchedulerKind kind = SchedulerKind::kChunked;
  int n_blocks = 0;
  int block_size = 0;  // tokens
  StepLimits limits;
};

class SimulatedLife {
 public:
  explicit SimulatedLife(LifeOptions options);

  // Joins the end of the line. Ids must ascend.
  void arrive(RequestId id, int n_prompt, int n_output);
  void cancel(RequestId id);  // nothing if it is gone

  // Plans, checks, applies. One step later every decode has one token more.
  StepPlan step();

  [[nodiscard]] bool idle() const { return running_.empty() && waiting_.empty(); }
  [[nodiscard]] std::vector<RequestId> live() const;

  // What is broken so far; a test expects none.
  [[nodiscard]] const std::vector<std::string>& broken() const { return broken_; }

  // Tokens of the finished ones, by request.
  [[nodiscard]] const std::map<RequestId, std::vector<TokenId>>& finished() const { return finished_; }
  [[nodiscard]] const std::vector<RequestId>& rejected() const { return rejected_; }
  [[nodiscard]] int n_preemptions() const { return n_preemptions_; }

 private:
  [[nodiscard]] std::vector<SeqView> views() const;
  [[nodiscard]] Sequence& find(RequestId id);
  void apply_evictions_and_rejections(const StepPlan& plan);
  void admit_newcomers(const StepPlan& plan);
  void run(const StepPlan& plan);
  void end(RequestId id, FinishReason reason);
  void check_between_steps();

  LifeOptions options_;
  std::unique_ptr<Scheduler> scheduler_;
  BlockPool pool_;
  std::vector<std::unique_ptr<Sequence>> running_;  // by admission
  std::deque<std::unique_ptr<Sequence>> waiting_;   // preempted ones first
  std::map<RequestId, std::vector<TokenId>> finished_;
  std::vector<RequestId> rejected_;
  std::vector<std::string> broken_;
  int n_preemptions_ = 0;
};

// The token that follows `tokens`: a function of the history, so an answer is known without a scheduler.
TokenId next_token(std::span<const TokenId> tokens);

// The prompt of a simulated request, and the whole it must become.
std::vector<TokenId> prompt_of(RequestId id, int n_prompt);
std::vector<TokenId> answer_of(RequestId id, int n_prompt, int n_output);

}  // namespace mie::test
