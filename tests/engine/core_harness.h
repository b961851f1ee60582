// An EngineCore on a FakeRunner that the test moves step by step, on one thread and with its own clock. It stands where the
// engine's submit() and loop stand otherwise.
#pragma once

#include "core/engine/engine_core.h"
#include "core/sched/make_scheduler.h"
#include "tests/engine/requests.h"
#include "tests/fakes/metrics_text.h"

#include <boost/asio/io_context.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mie::test {

struct CoreSetup {
  StepLimits limits{.max_seqs = 4, .max_tokens = 16, .max_prefill_chunk = 8};
  int n_blocks = 64;
  int block_size = 4;
  int max_model_len = 200;
  int n_drafts = 0;
  bool keep_kv = true;
  bool prefix_caching = true;
  std::chrono::milliseconds priority_ageing{0};
  std::chrono::nanoseconds row_time{0};
  SchedulerKind scheduler = SchedulerKind::kChunked;
  FakeOptions model{.n_vocab = 1000};
};

struct Answer {
  std::vector<Sampled> prompt;
  std::vector<TokenId> tokens;
  std::optional<Finish> finish;
  int n_batches = 0;
};

class CoreHarness {
 public:
  explicit CoreHarness(CoreSetup setup = {});

  RequestId submit(Request request);
  std::vector<RequestId> submit_choices(const Request& request, int n);  // of one prompt
  void release(RequestId id, Outcome outcome, int n_delivered = 0);

  // Steps until idle, at most `limit`. A failed step ends as the loop would end it.
  void run(int limit = 10'000);

  // What the stream of this request has said so far.
  const Answer& answer(RequestId id);

  [[nodiscard]] MetricsText metrics() { return MetricsText(registry.scrape()); }
  [[nodiscard]] SeqState state_of(RequestId id) const;
  [[nodiscard]] const SequenceRecord* find(const EngineSnapshot& snapshot, RequestId id) const;

  net::io_context io;  // of the streams; outlives the core
  CoreSetup setup;
  EngineOptions options;
  ManualClock clock;
  MetricsRegistry registry;
  EngineMetrics counters;
  FakeRunner runner;
  std::unique_ptr<Scheduler> scheduler;
  EngineCore core;

 private:
  net::awaitable<void> read(std::shared_ptr<TokenStream> stream);

  std::uint64_t next_id_ = 1;
  std::map<RequestId, Answer> answers_;
};

// Every law of an idle engine that has released everything, and every invariant.
[[nodiscard]] std::vector<std::string> not_settled(CoreHarness& harness);

}  // namespace mie::test
