// What the engine counts, as events. All events of one submit, release or step are reported under one lock(), the
// registry's, so that the sums between series (running + waiting + ended = accepted, and so on) hold in every scrape.
// A member of the engine; the registry outlives it. REQUIRES: lock() is held in every function that is not const.
#pragma once

#include "core/base/metrics.h"
#include "core/engine/engine_options.h"
#include "core/engine/engine_series.h"
#include "core/finish.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace mie {

// What admission compares and /health shows. Changed under lock(), read from any thread.
struct EngineLoad {
  std::atomic<int> n_waiting{0}, n_running{0};
  std::atomic<std::int64_t> waiting_tokens{0};
};

// One request at its end in the engine.
struct EndedRequest {
  EndLabel label = EndLabel::kError;
  bool was_running = false;
  bool context_full = false;
  int n_prompt = 0, n_generated = 0, max_tokens = 0;
  int n_prefilled = 0;           // prompt tokens that it computed, each once
  bool prompt_complete = false;  // its prompt is in the cache, or was
  RequestTimes times{};          // finished is set
};

// One committed step.
struct StepFigures {
  int n_tokens = 0, n_seqs = 0;
  Clock::duration plan{}, run{}, commit{};
};

class EngineMetrics {
 public:
  EngineMetrics(MetricsRegistry& registry, const EngineOptions& options);

  [[nodiscard]] std::unique_lock<std::mutex> lock() { return registry_.lock(); }

  void accepted(int n_choices, std::int64_t n_prompt_tokens);
  void admitted(int n_total);   // waiting → running
  void preempted(int n_total);  // running → waiting
  void computed(ComputeKind kind, int n_tokens);
  void drafts(int n, int n_accepted);
  void prefill_complete(int n_prompt, int n_cached);
  void first_token(Clock::duration since_arrival);
  void next_token(Clock::duration since_last);
  void ended(const EndedRequest& request);
  void cancelled(Clock::duration since_release);  // by its connection, while in the engine
  void released(int n_generated, Outcome outcome, int n_delivered);
  void step(const StepFigures& step);
  void step_without_progress();
  void prefix_looked_up(int n_tokens, int n_found);
  void prefixes_evicted(int n_blocks);
  void kv(int n_used_blocks, int n_cached_blocks, std::int64_t n_unused_slots);
  void last_step_age(Clock::duration age);

  [[nodiscard]] const EngineLoad& load() const { return load_; }
  [[nodiscard]] std::int64_t tokens_pending() const { return tokens_pending_; }  // under lock()

 private:
  void sampled();
  void observe_times(const EndedRequest& request);
  void move(int waiting, int running, std::int64_t waiting_tokens);  // signed changes

  MetricsRegistry& registry_;
  const int n_blocks_, block_size_;
  VllmSeries vllm_;
  MieSeries mie_;
  EngineLoad load_;
  std::int64_t tokens_pending_ = 0;
};

}  // namespace mie
