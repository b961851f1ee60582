// Every Prometheus series of the engine, registered once and held by reference: names, labels, bucket lists. When they
// change is engine_metrics.h. A member of EngineMetrics; the registry outlives it. Not thread-safe.
#pragma once

#include "core/base/metrics.h"
#include "core/engine/engine_options.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <array>
#include <cstddef>

namespace mie {

// The series of one family that differ in one label, found by the label's value.
template <class Metric, class Value, std::size_t n>
struct Labelled {
  std::array<Metric*, n> series;
  [[nodiscard]] Metric& operator[](Value value) const { return *series.at(static_cast<std::size_t>(value)); }
};

enum class TokenSource { kLocalCompute, kLocalCacheHit };
enum class EndLabel { kStop, kLength, kAbort, kError };  // finished_reason
enum class LengthCause { kMaxTokens, kContext };
enum class ComputeKind { kPrefill, kRecompute, kDecode, kRejected };
enum class BlockUse { kFree, kUsed, kCached };
enum class StepPhase { kPlan, kRun, kCommit, kAll };
// Of mie_tokens_discarded_total: the outcomes in their order, where kComplete's place is taken by `overshoot`, the tokens
// that were sampled after a stop string had ended the text.
using DiscardReason = Outcome;

// Names and meanings of vLLM; all series carry model_name and engine="0".
struct VllmSeries {
  prometheus::Gauge& requests_running;
  prometheus::Gauge& requests_waiting;
  prometheus::Gauge& kv_cache_usage;
  prometheus::Counter& prompt_tokens;
  Labelled<prometheus::Counter, TokenSource, 2> prompt_tokens_by_source;
  prometheus::Counter& prompt_tokens_cached;
  prometheus::Counter& generation_tokens;
  Labelled<prometheus::Counter, EndLabel, 4> request_success;
  prometheus::Counter& preemptions;
  prometheus::Counter& drafts;
  prometheus::Counter& draft_tokens;
  prometheus::Counter& accepted_tokens;
  prometheus::Counter& prefix_queries;
  prometheus::Counter& prefix_hits;
  prometheus::Histogram& time_to_first_token;
  prometheus::Histogram& inter_token_latency;
  prometheus::Histogram& time_per_output_token;
  prometheus::Histogram& e2e_time;
  prometheus::Histogram& queue_time;
  prometheus::Histogram& inference_time;
  prometheus::Histogram& prefill_time;
  prometheus::Histogram& decode_time;
  prometheus::Histogram& iteration_tokens;
  prometheus::Histogram& request_prompt_tokens;
  prometheus::Histogram& request_generation_tokens;
  prometheus::Histogram& request_max_generation_tokens;
  prometheus::Histogram& request_max_tokens;
  prometheus::Histogram& request_prefill_computed;
};

struct MieSeries {
  prometheus::Counter& choices_accepted;
  prometheus::Counter& choices_without_token;
  Labelled<prometheus::Counter, LengthCause, 2> length_stops;
  prometheus::Histogram& cancel_time;
  prometheus::Gauge& waiting_tokens;
  Labelled<prometheus::Counter, ComputeKind, 4> tokens_computed;
  prometheus::Counter& prefill_abandoned;
  prometheus::Counter& tokens_delivered;
  prometheus::Gauge& tokens_pending;
  Labelled<prometheus::Counter, DiscardReason, 7> tokens_discarded;
  Labelled<prometheus::Gauge, BlockUse, 3> kv_blocks;
  prometheus::Gauge& kv_capacity;
  prometheus::Gauge& kv_waste;
  prometheus::Counter& prefix_evictions;
  prometheus::Counter& steps;
  prometheus::Counter& steps_without_progress;
  Labelled<prometheus::Histogram, StepPhase, 4> step_time;
  prometheus::Histogram& batch_seqs;
  prometheus::Gauge& last_step_age;
};

// Each registers its series, once a registry.
VllmSeries register_vllm_series(prometheus::Registry& registry, const EngineOptions& options);
MieSeries register_mie_series(prometheus::Registry& registry);

}  // namespace mie
