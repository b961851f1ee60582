#include "bench/kv/step_time.h"

#include "bench/micro/steps.h"
#include "models/native/foreign_cpu.h"
#include "models/native/native_runner.h"
#include "models/native/thread_pool.h"

#include <algorithm>
#include <memory>
#include <ranges>
#include <utility>

namespace mie::bench {
namespace {

constexpr int kFillRows = 512;

std::vector<int> cores_for(int n_threads) {
  std::vector<int> cores = native::allowed_cores();
  if (n_threads > 0 && static_cast<std::size_t>(n_threads) < cores.size()) cores.resize(static_cast<std::size_t>(n_threads));
  return cores;
}

Result<std::unique_ptr<ModelRunner>> runner_of(const ModelPlan& plan, const WeightSource& source,
                                               const StepTimeSetting& setting, const SequenceSet& pages) {
  native::NativeOptions options;
  options.block_size = pages.block_size;
  options.n_blocks = pages.n_blocks;
  options.max_rows = kFillRows;
  options.max_logits = 1;
  options.max_positions = pages.n_blocks * pages.block_size;
  options.n_tokens = plan.spec.n_vocab;
  options.isa = setting.isa;
  options.cores = cores_for(setting.n_threads);
  options.n_threads = setting.n_threads > 0 ? setting.n_threads : std::max(1, static_cast<int>(options.cores.size()));
  return native::make_native_runner(plan, source, options, [](std::int64_t, std::int64_t) {});
}

// The pages of `all` that hold the first `context` tokens.
SequenceSet shortened(const SequenceSet& all, int context) {
  SequenceSet set = all;
  set.n_blocks = (context + all.block_size - 1) / all.block_size;
  set.blocks.resize(static_cast<std::size_t>(set.n_blocks));
  return set;
}

StepTime measured(ModelRunner& runner, const SequenceSet& all, int context, const Effort& effort) {
  const StepBatch batch = step_of(shortened(all, context), context - 1, 1, true);
  const auto rows = greedy_rows(batch);
  std::vector<Sampled> sampled(rows.size());
  const native::ForeignCpu foreign;
  const Timing timing = time_case("kv", [&] { runner.run(batch, rows, sampled); }, effort);
  return {.block_size = all.block_size,
          .context = context,
          .seconds = timing.median,
          .min = timing.min,
          .max = timing.max,
          .foreign_cpu = foreign.share()};
}

void join(StepTime& into, const StepTime& second) {
  into.seconds = (into.seconds + second.seconds) / 2;
  into.min = std::min(into.min, second.min);
  into.max = std::max(into.max, second.max);
  into.foreign_cpu = std::max(into.foreign_cpu, second.foreign_cpu);
}

class Passes {
 public:
  Passes(const ModelPlan& plan, const WeightSource& source, const StepTimeSetting& setting)
      : plan_(plan), source_(source), setting_(setting) {
    for (const int context : setting.contexts) {
      if (context <= plan.spec.context_length) contexts_.push_back(context);
    }
  }

  Result<void> measure(int block_size) {
    if (contexts_.empty()) return {};
    const auto all = SequenceSet::make(1, std::ranges::max(contexts_), block_size);
    auto runner = runner_of(plan_, source_, setting_, all);
    if (!runner) return runner.error();
    fill_pages(**runner, all, kFillRows);
    for (const int context : contexts_) {
      const StepTime time = measured(**runner, all, context, setting_.effort);
      const auto same = [&](const StepTime& known) { return known.block_size == block_size && known.context == context; };
      if (const auto first = std::ranges::find_if(times_, same); first != times_.end())
        join(*first, time);
      else
        times_.push_back(time);
    }
    return {};
  }

  std::vector<StepTime> take() { return std::move(times_); }

 private:
  const ModelPlan& plan_;
  const WeightSource& source_;
  const StepTimeSetting& setting_;
  std::vector<int> contexts_;
  std::vector<StepTime> times_;
};

}  // namespace

Result<std::vector<StepTime>> step_times(const ModelPlan& plan, const WeightSource& source, const StepTimeSetting& setting) {
  Passes passes(plan, source, setting);
  for (const int block_size : setting.block_sizes) {
    if (auto ok = passes.measure(block_size); !ok) return ok.error();
  }
  for (const int block_size : setting.block_sizes | std::views::reverse) {
    if (auto ok = passes.measure(block_size); !ok) return ok.error();
  }
  auto times = passes.take();
  std::ranges::sort(times, {}, [](const StepTime& time) { return std::pair(time.context, time.block_size); });
  return times;
}

}  // namespace mie::bench
