#include "bench/engine/sim_target.h"

#include "bench/engine/engine_config.h"
#include "bench/engine/engine_facts.h"
#include "bench/engine/engine_load.h"
#include "bench/engine/step_recorder.h"
#include "bench/engine/virtual_pace.h"
#include "bench/run/load_of_spec.h"
#include "core/sched/make_scheduler.h"
#include "models/fake_runner.h"
#include "server/config_values.h"
#include "server/engine_setup.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mie::bench {
namespace {

constexpr std::int64_t kPoolTokens = std::int64_t{64} * 8192;  // where no flag says how large the pool is
constexpr std::int64_t kTokenBytes = 4;                        // of a fake model

class CostedRunner final : public ModelRunner {
 public:
  CostedRunner(FakeOptions model, const LoadedModel& loaded, const CostModel& cost, VirtualPace& pace)
      : model_(std::move(model), loaded.n_blocks, loaded.block_size), cost_(cost), pace_(pace) {}

  void run(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) override {
    model_.run(batch, rows, sampled);
    pace_.pass(cost_.of(work_of(batch, rows)));
  }

 private:
  FakeRunner model_;
  const CostModel& cost_;
  VirtualPace& pace_;
};

// One that takes no time of its own.
FakeOptions timeless(FakeOptions model) {
  model.step_time = model.token_time = model.context_time = {};
  return model;
}

class SimTarget final : public Target {
 public:
  SimTarget(LoadedModel model, FakeOptions fake, const Config& config, const CostModel& cost, ManualClock& clock)
      : model_(std::move(model)),
        clock_(clock),
        pace_(clock, io_),
        scheduler_(make_scheduler(parse_scheduler(config.sched).value())),  // checked with the configuration
        runner_(timeless(std::move(fake)), model_, cost, pace_),
        engine_(options(config), *scheduler_, runner_, clock, registry_),
        limits_{.n_vocab = model_.served.n_vocab,
                .max_choices = config.server.max_choices,
                .max_n = config.server.max_n,
                .max_logprobs = config.server.max_logprobs,
                .priorities = config.priority_ageing.count() > 0},
        requests_(model_.served, limits_, clock, config.server.request_timeout),
        facts_(facts_of(model_.served)) {
    pace_.drives(engine_.loop());
  }

  [[nodiscard]] const ServerFacts& facts() const override { return facts_; }
  [[nodiscard]] LoadSettings settings(const WorkloadSpec& spec) const override { return load_settings(spec, "", facts_, {}); }
  Result<std::unique_ptr<Load>> prepare(LoadSettings settings, const std::vector<PlannedRequest>& requests) override {
    return std::unique_ptr<Load>(std::make_unique<EngineLoad>(EngineLoadParts{engine_, requests_, clock_, io_, pace_},
                                                              std::move(settings), requests, MakeRequests::kWhenDue));
  }

  [[nodiscard]] MetricSums counters() override { return metric_sums(registry_.scrape()); }
  bool flush() override {
    engine_.loop().core().flush_prefixes();
    return true;
  }
  void watch_steps(std::int64_t zero_ns) override { recorder_.begin(zero_ns, model_.n_blocks); }
  [[nodiscard]] std::optional<LoadSteps> steps() override { return recorder_.end(); }
  [[nodiscard]] std::int64_t now_ns() const override { return pace_.now_ns(); }

 private:
  [[nodiscard]] EngineOptions options(const Config& config) {
    EngineOptions options = engine_options(config, model_);
    options.prefix_secret = 1;  // the same each time
    options.observer = &recorder_;
    return options;
  }

  LoadedModel model_;
  ManualClock& clock_;
  net::io_context io_{1};
  VirtualPace pace_;
  MetricsRegistry registry_;
  StepRecorder recorder_;
  std::unique_ptr<Scheduler> scheduler_;
  CostedRunner runner_;
  Engine engine_;
  api::ParamLimits limits_;
  EngineRequests requests_;
  ServerFacts facts_;
};

}  // namespace

Result<OpenedTarget> SimTargets::open(const std::vector<std::string>& flags, std::string_view /*name*/) {
  std::vector<std::string> words = flags;
  if (std::ranges::find(words, "--model") == words.end()) words.insert(words.end(), {"--model", "fake:"});
  auto config = serve_config(words);
  if (config.has_error()) return config.error();
  auto fake = parse_fake_spec(config->model);
  if (fake.has_error()) return Error{Errc::kConfig, "target sim takes no model but fake:SPEC: " + fake.error().message, ""};
  if (config->kv_cache_memory_bytes == 0) config->kv_cache_memory_bytes = kPoolTokens * kTokenBytes;
  auto model = load_model(*config, SystemClock(), [](std::string_view, double) {});
  if (model.has_error()) return model.error();
  model->runner.reset();
  model->served.backend = "sim";
  model->row_time = cost_.of({.n_prefill = 1}) - cost_.of({});
  return OpenedTarget{std::make_shared<SimTarget>(std::move(*model), std::move(*fake), *config, cost_, clock_)};
}

}  // namespace mie::bench
