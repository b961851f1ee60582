// What main decides about the engine, and what the engine says about itself. Values; any thread.
#pragma once

#include "core/sched/scheduler.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace mie {

class EngineObserver;

// Rows of a step up to which it costs about the reading of the weights, so that verifying drafts is nearly free. One step's
// StepLimits::draft_rows where there are drafts.
inline constexpr int kDraftRows = 8;

struct EngineOptions {
  StepLimits limits;                       // as limits_for() of the scheduler's kind gives them
  std::chrono::milliseconds step_time{0};  // wanted while somebody waits for a next token (step_budget.h); 0: no such limit
  std::chrono::nanoseconds row_time{0};    // what a row of a large step costs, measured at the start; 0: not known
  int n_drafts = 0;                        // most drafts of a sequence in a step (ngram_draft.h); 0: no speculation
  std::chrono::milliseconds priority_ageing{0};  // waiting that makes up for one unit of priority; 0: first come, first served
  bool keep_kv = true;                           // false: each token computes all before it again, the baseline without a cache
  bool prefix_caching = true;                    // blocks of ended sequences serve those that begin in the same way
  std::uint64_t prefix_secret = 0;               // prefix_index.h
  int n_blocks = 0;
  int block_size = 0;                            // tokens; max_model_len for the contiguous baseline
  int max_model_len = 0;                         // prompt + output tokens of one request
  int max_queue = 512;                           // waiting choices
  std::int64_t max_queue_tokens = 1 << 20;       // waiting prompt tokens
  std::chrono::milliseconds step_limit{15'000};  // no step finished for twice this while work is pending: stuck
  int step_ring = 1024;                          // steps that the trace remembers (step_trace.h)
  EngineObserver* observer = nullptr;            // hears of everything besides the trace; outlives the engine
  bool paranoid = false;                         // run every invariant check after each step, not only when idle
  std::string model_name = "mie";                // label of the vllm: series
  std::string cache_dtype = "bf16";              // label of vllm:cache_config_info

  // The engine went unhealthy for good (device lost, or an invariant is broken): every request has been ended by then, and
  // the process should leave with 70. Called once, on the engine thread, with the reason for the log. Must not throw.
  std::function<void(const std::string&)> on_fatal{};
};

// How a request ended, as the connection saw it: the label of mie_requests_ended_total and mie_tokens_discarded_total.
enum class Outcome { kComplete, kError, kClientGone, kAborted, kDeadline, kSlowReader, kShutdown };

// What /health, /ready and the admission checks read. A copy of atomics.
struct EngineHealth {
  enum class State { kOk, kStuck, kFailed } state = State::kOk;
  int n_waiting = 0, n_running = 0;
  std::int64_t waiting_tokens = 0;
  bool draining = false;
};

}  // namespace mie
