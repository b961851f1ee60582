#include "bench/engine/inproc_target.h"

#include "bench/engine/engine_config.h"
#include "bench/engine/engine_facts.h"
#include "bench/engine/engine_load.h"
#include "bench/engine/real_pace.h"
#include "bench/engine/step_recorder.h"
#include "bench/load/stamp_clock.h"
#include "bench/run/load_of_spec.h"
#include "core/base/log.h"
#include "server/engine_setup.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <thread>
#include <utility>

namespace mie::bench {
namespace {

class InprocTarget final : public Target {
 public:
  InprocTarget(LoadedModel model, const Config& config)
      : serving_(
            std::move(model), config, clock_, registry_,
            [](const std::string& reason) { logger("engine")->critical("fatal=\"{}\"", reason); }, &recorder_),
        requests_(serving_.model(), serving_.loaded().limits, clock_, config.server.request_timeout),
        pace_(io_),
        facts_(facts_of(serving_.model())) {}

  ~InprocTarget() override { serving_.engine().stop(); }  // it posts to io_ until then
  InprocTarget(const InprocTarget&) = delete;
  InprocTarget& operator=(const InprocTarget&) = delete;

  [[nodiscard]] const ServerFacts& facts() const override { return facts_; }
  [[nodiscard]] LoadSettings settings(const WorkloadSpec& spec) const override { return load_settings(spec, "", facts_, {}); }
  Result<std::unique_ptr<Load>> prepare(LoadSettings settings, const std::vector<PlannedRequest>& requests) override {
    return std::unique_ptr<Load>(std::make_unique<EngineLoad>(EngineLoadParts{serving_.engine(), requests_, clock_, io_, pace_},
                                                              std::move(settings), requests, MakeRequests::kBefore));
  }

  [[nodiscard]] MetricSums counters() override { return metric_sums(registry_.scrape()); }
  bool flush() override {
    auto flushed = net::co_spawn(io_, serving_.engine().reset_prefix_cache(), net::use_future);
    io_.restart();
    io_.run();
    static_cast<void>(flushed.get());
    return true;
  }

  // The engine's clock is the slewed one: over a load the two part by some µs.
  void watch_steps(std::int64_t zero_ns) override {
    recorder_.begin(zero_ns + clock_.now().time_since_epoch().count() - stamp_ns(), serving_.engine().options().n_blocks);
  }
  [[nodiscard]] std::optional<LoadSteps> steps() override { return recorder_.end(); }

  [[nodiscard]] std::int64_t now_ns() const override { return stamp_ns(); }

 private:
  SystemClock clock_;
  MetricsRegistry registry_;
  StepRecorder recorder_;
  net::io_context io_{1};
  ServingModel serving_;
  EngineRequests requests_;
  RealPace pace_;
  ServerFacts facts_;
};

}  // namespace

Result<OpenedTarget> InprocTargets::open(const std::vector<std::string>& flags, std::string_view /*name*/) {
  const auto config = serve_config(flags);
  if (config.has_error()) return config.error();
  auto model = load_model(*config, SystemClock(), [](std::string_view, double) {});
  if (model.has_error()) return model.error();
  return OpenedTarget{std::make_shared<InprocTarget>(std::move(*model), *config)};
}

void InprocTargets::rest(std::chrono::duration<double> time) { std::this_thread::sleep_for(time); }

}  // namespace mie::bench
