#include "tests/sched/simulated_life.h"

#include "core/base/ensure.h"
#include "core/sched/plan_check.h"
#include "kv/reservation.h"

#include <algorithm>
#include <utility>

namespace mie::test {

SimulatedLife::SimulatedLife(LifeOptions options)
    : options_(options), scheduler_(make_scheduler(options.kind)), pool_(options.n_blocks) {}

void SimulatedLife::arrive(RequestId id, int n_prompt, int n_output) {
  auto request = std::make_shared<Request>();
  request->id = id;
  request->prompt = prompt_of(id, n_prompt);
  request->max_tokens = n_output;
  waiting_.push_back(std::make_unique<Sequence>(std::move(request), pool_, options_.block_size));
}

void SimulatedLife::cancel(RequestId id) {
  const auto all = live();
  if (std::find(all.begin(), all.end(), id) != all.end()) end(id, FinishReason::kCancelled);
}

StepPlan SimulatedLife::step() {
  const std::vector<SeqView> seqs = views();
  const KvBudget budget{pool_.n_free(), pool_.n_blocks(), options_.block_size};
  StepPlan plan = scheduler_->plan(seqs, budget, options_.limits);
  for (std::string& what : plan_check(seqs, budget, limits_for(options_.kind, options_.limits), plan))
    broken_.push_back(std::move(what));
  if (!broken_.empty()) return plan;  // applying a wrong plan would only blur the first fault
  apply_evictions_and_rejections(plan);
  admit_newcomers(plan);
  run(plan);
  check_between_steps();
  return plan;
}

std::vector<RequestId> SimulatedLife::live() const {
  std::vector<RequestId> ids;
  for (const SeqView& seq : views()) ids.push_back(seq.id);
  return ids;
}

std::vector<SeqView> SimulatedLife::views() const {
  std::vector<SeqView> seqs;
  for (const auto& seq : running_) seqs.push_back(seq->view());
  for (const auto& seq : waiting_) seqs.push_back(seq->view());
  return seqs;
}

Sequence& SimulatedLife::find(RequestId id) {
  const auto it = std::find_if(running_.begin(), running_.end(), [&](const auto& seq) { return seq->id() == id; });
  ENSURE(it != running_.end(), "not running");
  return **it;
}

void SimulatedLife::apply_evictions_and_rejections(const StepPlan& plan) {
  for (const RequestId id : plan.evict) {
    ENSURE(running_.back()->id() == id, "not the youngest");
    running_.back()->preempt();
    waiting_.push_front(std::move(running_.back()));
    running_.pop_back();
    ++n_preemptions_;
  }
  for (const RequestId id : plan.reject) {
    rejected_.push_back(id);
    end(id, FinishReason::kError);
  }
}

void SimulatedLife::admit_newcomers(const StepPlan& plan) {
  for (const Scheduled& row : plan.run) {
    if (waiting_.empty() || waiting_.front()->id() != row.id) continue;
    waiting_.front()->admit();
    running_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

void SimulatedLife::run(const StepPlan& plan) {
  KvReservation::Memory memory;
  KvReservation held(pool_, memory);
  for (const Scheduled& row : plan.run) ENSURE(held.reserve(find(row.id).blocks(), row.n_new_blocks), "no blocks");
  held.commit();
  for (const Scheduled& row : plan.run) {
    Sequence& seq = find(row.id);
    seq.commit(row.n_tokens, row.samples ? std::optional(next_token(seq.tokens())) : std::nullopt);
    if (seq.n_total() < seq.max_total()) continue;
    finished_.emplace(seq.id(), std::vector<TokenId>(seq.tokens().begin(), seq.tokens().end()));
    end(seq.id(), FinishReason::kLength);
  }
}

void SimulatedLife::end(RequestId id, FinishReason reason) {
  const auto end_in = [&](auto& line) {
    const auto it = std::find_if(line.begin(), line.end(), [&](const auto& seq) { return seq->id() == id; });
    if (it == line.end()) return;
    (*it)->finish(reason);
    line.erase(it);
  };
  end_in(running_);
  end_in(waiting_);
}

void SimulatedLife::check_between_steps() {
  const auto expect = [&](bool holds, const char* what) {
    if (!holds) broken_.emplace_back(what);
  };
  const std::vector<SeqView> seqs = views();
  int n_owned = 0;
  for (const SeqView& seq : seqs) n_owned += seq.n_blocks;
  pool_.check();
  expect(n_owned + pool_.n_free() == pool_.n_blocks(), "free and owned blocks are not all blocks");
  expect(std::cmp_less_equal(running_.size(), limits_for(options_.kind, options_.limits).max_seqs), "too many run");
  // Ids ascend by arrival: whoever came earlier runs before, or waits before, whoever came later.
  expect(std::is_sorted(seqs.begin(), seqs.end(), [](const SeqView& a, const SeqView& b) { return a.id < b.id; }),
         "someone was overtaken");
}

TokenId next_token(std::span<const TokenId> tokens) {
  std::uint32_t hash = 2166136261U;
  for (const TokenId token : tokens) hash = (hash ^ static_cast<std::uint32_t>(token.value())) * 16777619U;
  return TokenId(static_cast<std::int32_t>(hash % 50'000));
}

std::vector<TokenId> prompt_of(RequestId id, int n_prompt) {
  std::vector<TokenId> prompt;
  for (int i = 0; i < n_prompt; ++i)
    prompt.emplace_back(static_cast<std::int32_t>((id.value() * 31 + static_cast<std::uint64_t>(i) * 7) % 50'000));
  return prompt;
}

std::vector<TokenId> answer_of(RequestId id, int n_prompt, int n_output) {
  std::vector<TokenId> tokens = prompt_of(id, n_prompt);
  for (int i = 0; i < n_output; ++i) tokens.push_back(next_token(tokens));
  return tokens;
}

}  // namespace mie::test
