#include "bench/micro/scheduler_cases.h"

#include "core/sched/make_scheduler.h"

#include <random>
#include <vector>

namespace mie::bench {
namespace {

constexpr int kRunning = 256, kWaiting = 4096, kBlock = 32;

// Decodes at any offset in their blocks, every fourth one with a few blocks that others share; then the line, where every
// third prompt finds a beginning.
std::vector<SeqView> busy_state() {
  std::mt19937 random(1);
  const auto between = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  std::vector<SeqView> seqs;
  for (int i = 0; i < kRunning + kWaiting; ++i) {
    SeqView seq{.id = RequestId(static_cast<std::uint64_t>(i)), .running = i < kRunning};
    seq.n_prompt = between(16, 1024);
    seq.n_total = seq.n_prompt + (seq.running ? between(1, 64) : 0);
    seq.max_total = seq.n_total + between(1, 256);
    seq.n_computed = seq.running ? seq.n_total - 1 : i % 3 == 0 ? (seq.n_prompt - 1) / kBlock * kBlock : 0;
    seq.n_blocks = (seq.n_computed + kBlock - 1) / kBlock;
    seq.n_own_blocks = seq.running && i % 4 != 0 ? seq.n_blocks : seq.n_blocks / 2;
    seqs.push_back(seq);
  }
  return seqs;
}

}  // namespace

void run_scheduler_cases(MicroSession& session) {
  const std::vector<SeqView> seqs = busy_state();
  const auto scheduler = make_scheduler(SchedulerKind::kChunked);
  StepPlan plan;
  const auto measure = [&](const std::string& name, int max_seqs, int n_free) {
    const KvBudget budget{.n_free_blocks = n_free, .n_blocks = 1 << 16, .block_size = kBlock};
    const StepLimits limits{.max_seqs = max_seqs, .max_tokens = 2048, .max_prefill_chunk = 256};
    const auto decide = [&, budget, limits] { plan = scheduler->plan(seqs, budget, limits, std::move(plan)); };
    for (const bool single : {false, true})
      session.measure({.name = "scheduler/decision" + std::string(single ? "-p99/" : "/") + name,
                       .on_pool = false,
                       .p99_of_single = single,
                       .run = decide});
  };
  measure("full-house", kRunning, 1 << 14);
  measure("free-seats", 2 * kRunning, 1 << 14);
  measure("short-of-blocks", kRunning, 2);
}

}  // namespace mie::bench
