#include "bench/micro/timing.h"

#include "core/base/clock.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

namespace mie::bench {
namespace {

// Seconds an iteration of every repetition; prints nothing.
class Collector final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
      seconds_.push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
    }
  }
  [[nodiscard]] std::vector<double> take() { return std::move(seconds_); }

 private:
  std::vector<double> seconds_;
};

double seconds_once(const std::function<void()>& run) {
  const SystemClock clock;
  const auto start = clock.now();
  run();
  return std::chrono::duration<double>(clock.now() - start).count();
}

}  // namespace

Timing time_p99(const std::function<void()>& run, const Effort& effort) {
  constexpr std::size_t kFewest = 100;
  run();
  std::vector<double> p99s, seconds;
  for (int repetition = 0; repetition < effort.n_repetitions; ++repetition) {
    seconds.clear();
    for (double spent = 0; spent < effort.repetition_seconds || seconds.size() < kFewest; spent += seconds.back())
      seconds.push_back(seconds_once(run));
    std::ranges::sort(seconds);
    p99s.push_back(seconds[seconds.size() * 99 / 100]);
  }
  std::ranges::sort(p99s);
  return {p99s[p99s.size() / 2], p99s.front(), p99s.back(), static_cast<int>(p99s.size())};
}

Timing time_case(const std::string& name, const std::function<void()>& run, const Effort& effort) {
  run();  // warms caches and branch predictors
  const double repetition = std::max(seconds_once(run), effort.repetition_seconds);
  const int n_repetitions =
      std::clamp(static_cast<int>(effort.most_seconds / repetition), std::min(3, effort.n_repetitions), effort.n_repetitions);
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark(name.c_str(),
                               [&](benchmark::State& state) {
                                 for ([[maybe_unused]] auto iteration : state) run();
                               })
      ->MinTime(effort.repetition_seconds)
      ->Repetitions(n_repetitions)
      ->UseRealTime();
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector, ".");
  benchmark::ClearRegisteredBenchmarks();
  std::vector<double> seconds = collector.take();
  std::ranges::sort(seconds);
  return {seconds[seconds.size() / 2], seconds.front(), seconds.back(), static_cast<int>(seconds.size())};
}

}  // namespace mie::bench
