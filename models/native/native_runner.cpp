#include "models/native/native_runner.h"

#include "core/base/ensure.h"
#include "models/native/forward.h"
#include "models/sampling/sampler.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <thread>
#include <utility>

namespace mie::native {
namespace {

class NativeRunner final : public ModelRunner {
 public:
  NativeRunner(const NativeOptions& options, std::unique_ptr<ThreadPool> pool, PackedModel model, KvPages kv, Workspace work)
      : options_(options),
        pool_(std::move(pool)),
        model_(std::move(model)),
        kv_(std::move(kv)),
        work_(std::move(work)),
        rope_(model_.spec.rope, options.max_positions),
        forward_(model_, kv_, work_, *pool_, kernel_table(options.isa),
                 {options.mode, options.n_tokens, options.switches, options.tap}, rope_),
        failures_(static_cast<std::size_t>(options.max_logits)) {
    ENSURE(options.max_logits >= 1, "the logits of a row are held");
    for (int i = 0; i < options.n_threads; ++i) samplers_.emplace_back(model_.spec.n_vocab, options.n_tokens);
  }

  void run(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) override {
    ENSURE(rows.size() == batch.logits_rows.size() && sampled.size() == rows.size(), "one answer per logits row");
    ENSURE(batch.n_tokens() <= options_.max_rows, "the step fits the workspace");
    ENSURE(std::ranges::all_of(batch.positions, [&](std::int32_t at) { return at >= 0 && at < options_.max_positions; }),
           "every position has its angles and its place in the workspace");
    pin_engine_thread();
    const ThreadPool::Step awake(*pool_);
    forward_.run(batch);
    const auto at_once = static_cast<std::size_t>(options_.max_logits);
    for (std::size_t first = 0; first < rows.size(); first += at_once) {
      const std::size_t n = std::min(at_once, rows.size() - first);
      sample_some(std::span(batch.logits_rows).subspan(first, n), rows.subspan(first, n), sampled.subspan(first, n));
    }
  }

 private:
  void sample_some(std::span<const std::int32_t> logits_rows, std::span<const SamplingRow> rows, std::span<Sampled> sampled) {
    forward_.project_logits(logits_rows, rows);
    const auto n = static_cast<int>(rows.size());
    if (options_.switches.sampling == Switches::Sampling::kOneByOne) {
      for (int row = 0; row < n; ++row) sample(row, 0, rows, sampled);
    } else {
      pool_->for_each(n, 1, [&](int row, int thread) { sample(row, thread, rows, sampled); });
    }
    for (auto& failure : std::span(failures_).first(rows.size())) {
      if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
    }
  }

  // Compute threads stay where their weights are in cache. A step tells which thread the engine's is: the first may be the
  // self-check's.
  void pin_engine_thread() {
    const std::thread::id caller = std::this_thread::get_id();
    if (std::exchange(pinned_, caller) == caller || options_.cores.empty()) return;
    pin_this_thread(options_.cores.front());
  }

  void sample(int row, int thread, std::span<const SamplingRow> rows, std::span<Sampled> sampled) {
    const auto at = static_cast<std::size_t>(row);
    try {  // a body of a parallel region must not throw
      sampled[at] = forward_.only_best(row)
                        ? best_token(row)
                        : samplers_[static_cast<std::size_t>(thread)].sample(forward_.logits(row), rows[at]);
    } catch (...) {
      failures_[at] = std::current_exception();
    }
  }

  [[nodiscard]] Sampled best_token(int row) const {
    const BestLogit best = forward_.best(row);
    if (!best.sound) throw ModelStepError("the model produced logits that are not numbers");
    if (best.id < 0) throw ModelStepError("every token is masked");
    return {.token = TokenId(best.id), .logprob = 0, .top = {}};
  }

  NativeOptions options_;
  std::unique_ptr<ThreadPool> pool_;
  PackedModel model_;
  KvPages kv_;
  Workspace work_;
  RopeTable rope_;
  Forward forward_;
  std::deque<Sampler> samplers_;              // [threads]; a sampler stays where it is
  std::vector<std::exception_ptr> failures_;  // [max_logits]
  std::thread::id pinned_;                    // the last caller of run()
};

}  // namespace

Result<std::unique_ptr<ModelRunner>> make_native_runner(const ModelPlan& plan, const WeightSource& source,
                                                        const NativeOptions& options, const PackProgress& progress) {
  auto pool = std::make_unique<ThreadPool>(options.n_threads, options.cores);
  auto model = pack_model(plan, source, *pool, progress);
  if (!model) return model.error();
  auto kv = KvPages::make(plan.spec, options.n_blocks, options.block_size);
  if (!kv) return kv.error();
  auto work = Workspace::make(
      *model, kernel_table(options.isa), options.mode,
      {options.max_rows, options.max_logits, options.max_positions, options.n_threads, options.switches.gathers()});
  if (!work) return work.error();
  return std::unique_ptr<ModelRunner>(
      std::make_unique<NativeRunner>(options, std::move(pool), std::move(*model), std::move(*kv), std::move(*work)));
}

}  // namespace mie::native
