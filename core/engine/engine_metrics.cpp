#include "core/engine/engine_metrics.h"

#include <algorithm>

namespace mie {
namespace {

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

EngineMetrics::EngineMetrics(MetricsRegistry& registry, const EngineOptions& options)
    : registry_(registry),
      n_blocks_(options.n_blocks),
      block_size_(options.block_size),
      vllm_(register_vllm_series(registry.families(), options)),
      mie_(register_mie_series(registry.families())) {
  const auto held = lock();
  mie_.kv_capacity.Set(n_blocks_);
  kv(0, 0, 0);
}

void EngineMetrics::accepted(int n_choices, std::int64_t n_prompt_tokens) {
  mie_.choices_accepted.Increment(n_choices);
  move(n_choices, 0, n_prompt_tokens);
}

void EngineMetrics::admitted(int n_total) { move(-1, 1, -n_total); }

void EngineMetrics::preempted(int n_total) {
  vllm_.preemptions.Increment();
  move(1, -1, n_total);
}

void EngineMetrics::computed(ComputeKind kind, int n_tokens) { mie_.tokens_computed[kind].Increment(n_tokens); }

void EngineMetrics::drafts(int n, int n_accepted) {
  vllm_.drafts.Increment();
  vllm_.draft_tokens.Increment(n);
  vllm_.accepted_tokens.Increment(n_accepted);
}

void EngineMetrics::prefill_complete(int n_prompt, int n_cached) {
  vllm_.prompt_tokens.Increment(n_prompt);
  vllm_.prompt_tokens_by_source[TokenSource::kLocalCompute].Increment(n_prompt - n_cached);
  vllm_.prompt_tokens_by_source[TokenSource::kLocalCacheHit].Increment(n_cached);
  vllm_.prompt_tokens_cached.Increment(n_cached);
}

void EngineMetrics::first_token(Clock::duration since_arrival) {
  sampled();
  vllm_.time_to_first_token.Observe(seconds(since_arrival));
}

void EngineMetrics::next_token(Clock::duration since_last) {
  sampled();
  vllm_.inter_token_latency.Observe(seconds(since_last));
}

void EngineMetrics::sampled() {
  vllm_.generation_tokens.Increment();
  ++tokens_pending_;
  mie_.tokens_pending.Set(static_cast<double>(tokens_pending_));
}

void EngineMetrics::ended(const EndedRequest& request) {
  if (request.was_running) {
    move(0, -1, 0);
  } else {
    move(-1, 0, -(request.n_prompt + request.n_generated));
  }
  vllm_.request_success[request.label].Increment();
  if (request.label == EndLabel::kLength)
    mie_.length_stops[request.context_full ? LengthCause::kContext : LengthCause::kMaxTokens].Increment();
  if (request.n_generated == 0) mie_.choices_without_token.Increment();
  if (!request.prompt_complete) mie_.prefill_abandoned.Increment(request.n_prefilled);
  vllm_.request_prompt_tokens.Observe(request.n_prompt);
  vllm_.request_generation_tokens.Observe(request.n_generated);
  vllm_.request_max_generation_tokens.Observe(request.n_generated);
  vllm_.request_max_tokens.Observe(request.max_tokens);
  vllm_.request_prefill_computed.Observe(request.n_prefilled);
  observe_times(request);
}

// Prefill and decode add up to inference, and queue and inference lie inside the whole, for every way to end: without a
// token the inference lasts from the admission to the end, and without an admission it is nothing.
void EngineMetrics::observe_times(const EndedRequest& request) {
  const RequestTimes& times = request.times;
  const Clock::time_point end = times.finished.value();
  const Clock::time_point admitted = times.admitted.value_or(end);
  const Clock::time_point last = times.last_token.value_or(end);
  const Clock::time_point first = times.first_token.value_or(last);
  vllm_.e2e_time.Observe(seconds(end - times.arrival));
  vllm_.queue_time.Observe(seconds(admitted - times.enqueued));
  vllm_.inference_time.Observe(seconds(last - admitted));
  vllm_.prefill_time.Observe(seconds(first - admitted));
  vllm_.decode_time.Observe(seconds(last - first));
  if (request.n_generated >= 2) vllm_.time_per_output_token.Observe(seconds(last - first) / (request.n_generated - 1));
}

void EngineMetrics::cancelled(Clock::duration since_release) { mie_.cancel_time.Observe(seconds(since_release)); }

void EngineMetrics::released(int n_generated, Outcome outcome, int n_delivered) {
  tokens_pending_ -= n_generated;
  mie_.tokens_pending.Set(static_cast<double>(tokens_pending_));
  const int n_in_usage = outcome == Outcome::kComplete ? std::clamp(n_delivered, 0, n_generated) : 0;
  mie_.tokens_delivered.Increment(n_in_usage);
  mie_.tokens_discarded[outcome].Increment(n_generated - n_in_usage);
}

void EngineMetrics::step(const StepFigures& step) {
  mie_.steps.Increment();
  vllm_.iteration_tokens.Observe(step.n_tokens);
  mie_.batch_seqs.Observe(step.n_seqs);
  mie_.step_time[StepPhase::kPlan].Observe(seconds(step.plan));
  mie_.step_time[StepPhase::kRun].Observe(seconds(step.run));
  mie_.step_time[StepPhase::kCommit].Observe(seconds(step.commit));
  mie_.step_time[StepPhase::kAll].Observe(seconds(step.plan + step.run + step.commit));
}

void EngineMetrics::step_without_progress() { mie_.steps_without_progress.Increment(); }

void EngineMetrics::prefix_looked_up(int n_tokens, int n_found) {
  vllm_.prefix_queries.Increment(n_tokens);
  vllm_.prefix_hits.Increment(n_found);
}

void EngineMetrics::prefixes_evicted(int n_blocks) { mie_.prefix_evictions.Increment(n_blocks); }

void EngineMetrics::kv(int n_used_blocks, int n_cached_blocks, std::int64_t n_unused_slots) {
  mie_.kv_blocks[BlockUse::kFree].Set(n_blocks_ - n_used_blocks - n_cached_blocks);
  mie_.kv_blocks[BlockUse::kUsed].Set(n_used_blocks);
  mie_.kv_blocks[BlockUse::kCached].Set(n_cached_blocks);
  vllm_.kv_cache_usage.Set(n_blocks_ == 0 ? 0 : static_cast<double>(n_used_blocks) / n_blocks_);
  const double slots = static_cast<double>(n_used_blocks) * block_size_;
  mie_.kv_waste.Set(slots == 0 ? 0 : static_cast<double>(n_unused_slots) / slots);
}

void EngineMetrics::last_step_age(Clock::duration age) { mie_.last_step_age.Set(seconds(age)); }

void EngineMetrics::move(int waiting, int running, std::int64_t waiting_tokens) {
  vllm_.requests_waiting.Set(load_.n_waiting += waiting);
  vllm_.requests_running.Set(load_.n_running += running);
  mie_.waiting_tokens.Set(static_cast<double>(load_.waiting_tokens += waiting_tokens));
}

}  // namespace mie
