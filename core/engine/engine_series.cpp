#include "core/engine/engine_series.h"

#include <prometheus/family.h>
#include <prometheus/registry.h>

#include <string>
#include <utility>
#include <vector>

namespace mie {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Labels;
using Buckets = std::vector<double>;

// vLLM's bounds plus lower ones, since small models are faster. Seconds, except steps and lengths: tokens, sequences.
Buckets first_token_buckets() {
  return {.0005, .001, .0025, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560};
}
Buckets token_gap_buckets() {
  return {.0005, .001, .0025, .005, .01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80};
}
Buckets request_buckets() {
  return {.005, .01, .025, .05, .1, .2, .3, .5,  .8,  1,   1.5, 2,    2.5, 5,
          10,   15,  20,   30,  40, 50, 60, 120, 240, 480, 960, 1920, 7680};
}
Buckets step_buckets() { return {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384}; }

// 1 2 5 10 20 50 … up to `most`.
Buckets length_buckets(int most) {
  Buckets list;
  for (double decade = 1;; decade *= 10) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      if (digit * decade > most) return list;
      list.push_back(digit * decade);
    }
  }
}

// Adds families one at a time; each call registers a new name.
class Register {
 public:
  explicit Register(prometheus::Registry& registry, Labels common = {}) : registry_(registry), common_(std::move(common)) {}

  template <class Builder>
  auto& family(Builder builder, const char* name, const char* help) {
    return builder.Name(name).Help(help).Labels(common_).Register(registry_);
  }

  Counter& counter(const char* name, const char* help) { return family(prometheus::BuildCounter(), name, help).Add({}); }
  Gauge& gauge(const char* name, const char* help, const Labels& labels = {}) {
    return family(prometheus::BuildGauge(), name, help).Add(labels);
  }
  Histogram& histogram(const char* name, const char* help, const Buckets& buckets) {
    return family(prometheus::BuildHistogram(), name, help).Add({}, buckets);
  }

  // One series for each of `values`, which are the enumerators of Value in their order.
  template <class Value, std::size_t n>
  Labelled<Counter, Value, n> counters(const char* name, const char* help, const char* label, const char* const (&values)[n]) {
    auto& added = family(prometheus::BuildCounter(), name, help);
    return labelled<Counter, Value>(label, values, [&](const Labels& labels) { return &added.Add(labels); });
  }
  template <class Value, std::size_t n>
  Labelled<Gauge, Value, n> gauges(const char* name, const char* help, const char* label, const char* const (&values)[n]) {
    auto& added = family(prometheus::BuildGauge(), name, help);
    return labelled<Gauge, Value>(label, values, [&](const Labels& labels) { return &added.Add(labels); });
  }
  Labelled<Histogram, StepPhase, 4> step_phases(const char* name, const char* help, const Buckets& buckets) {
    auto& added = family(prometheus::BuildHistogram(), name, help);
    return labelled<Histogram, StepPhase>("phase", {"plan", "run", "commit", "all"},
                                          [&](const Labels& labels) { return &added.Add(labels, buckets); });
  }

 private:
  template <class Metric, class Value, std::size_t n, class Add>
  static Labelled<Metric, Value, n> labelled(const char* label, const char* const (&values)[n], const Add& add) {
    Labelled<Metric, Value, n> made{};
    for (std::size_t i = 0; i < n; ++i) made.series.at(i) = add(Labels{{label, values[i]}});
    return made;
  }

  prometheus::Registry& registry_;
  Labels common_;
};

}  // namespace

VllmSeries register_vllm_series(prometheus::Registry& registry, const EngineOptions& options) {
  Register to(registry, {{"model_name", options.model_name}, {"engine", "0"}});
  const Buckets lengths = length_buckets(options.max_model_len);
  const Buckets times = request_buckets();
  to.gauge("vllm:cache_config_info", "Geometry of the KV cache.",
           {{"block_size", std::to_string(options.block_size)},
            {"num_gpu_blocks", std::to_string(options.n_blocks)},
            {"cache_dtype", options.cache_dtype},
            {"enable_prefix_caching", options.prefix_caching ? "True" : "False"}})
      .Set(1);
  return {
      .requests_running = to.gauge("vllm:num_requests_running", "Choices in the batch."),
      .requests_waiting = to.gauge("vllm:num_requests_waiting", "Accepted choices that are not in the batch."),
      .kv_cache_usage = to.gauge("vllm:kv_cache_usage_perc", "Referenced KV blocks over all blocks, 0 to 1."),
      .prompt_tokens = to.counter("vllm:prompt_tokens_total", "Prompt tokens, when their prefill is complete."),
      .prompt_tokens_by_source = to.counters<TokenSource>("vllm:prompt_tokens_by_source_total", "The prompt tokens, split.",
                                                          "source", {"local_compute", "local_cache_hit"}),
      .prompt_tokens_cached = to.counter("vllm:prompt_tokens_cached_total", "Prompt tokens from the prefix cache."),
      .generation_tokens = to.counter("vllm:generation_tokens_total", "Sampled tokens of every choice."),
      .request_success = to.counters<EndLabel>("vllm:request_success_total", "Ended choices.", "finished_reason",
                                               {"stop", "length", "abort", "error"}),
      .preemptions = to.counter("vllm:num_preemptions_total", "Choices put back to wait for want of KV blocks."),
      .drafts = to.counter("vllm:spec_decode_num_drafts_total", "Steps of a choice that verified drafts."),
      .draft_tokens = to.counter("vllm:spec_decode_num_draft_tokens_total", "Drafts that were verified."),
      .accepted_tokens =
          to.counter("vllm:spec_decode_num_accepted_tokens_total", "Drafts that turned out to be what is sampled."),
      .prefix_queries = to.counter("vllm:prefix_cache_queries_total", "Tokens looked up in the prefix cache."),
      .prefix_hits = to.counter("vllm:prefix_cache_hits_total", "Tokens found in the prefix cache."),
      .time_to_first_token = to.histogram("vllm:time_to_first_token_seconds",
                                          "Last head byte to first token handed to the connection.", first_token_buckets()),
      .inter_token_latency =
          to.histogram("vllm:inter_token_latency_seconds", "Gap before each token after the first.", token_gap_buckets()),
      .time_per_output_token = to.histogram("vllm:request_time_per_output_token_seconds",
                                            "First to last token over the tokens after the first.", token_gap_buckets()),
      .e2e_time = to.histogram("vllm:e2e_request_latency_seconds", "Last head byte to end.", times),
      .queue_time = to.histogram("vllm:request_queue_time_seconds", "Accepted to first scheduled.", times),
      .inference_time = to.histogram("vllm:request_inference_time_seconds", "First scheduled to last token.", times),
      .prefill_time = to.histogram("vllm:request_prefill_time_seconds", "First scheduled to first token.", times),
      .decode_time = to.histogram("vllm:request_decode_time_seconds", "First to last token.", times),
      .iteration_tokens = to.histogram("vllm:iteration_tokens_total", "Tokens computed in a step.", step_buckets()),
      .request_prompt_tokens = to.histogram("vllm:request_prompt_tokens", "Prompt tokens of a choice.", lengths),
      .request_generation_tokens = to.histogram("vllm:request_generation_tokens", "Sampled tokens of a choice.", lengths),
      .request_max_generation_tokens =
          to.histogram("vllm:request_max_num_generation_tokens", "Most sampled tokens of a choice.", lengths),
      .request_max_tokens = to.histogram("vllm:request_params_max_tokens", "max_tokens of a choice.", lengths),
      .request_prefill_computed = to.histogram("vllm:request_prefill_kv_computed_tokens",
                                               "Prompt tokens of a choice that were computed, not found.", lengths),
  };
}

MieSeries register_mie_series(prometheus::Registry& registry) {
  Register to(registry);
  return {
      .choices_accepted = to.counter("mie_choices_accepted_total", "Choices taken into the waiting queue."),
      .choices_without_token = to.counter("mie_choices_without_token_total", "Choices that ended before a first token."),
      .length_stops = to.counters<LengthCause>("mie_length_stops_total", "Choices that ended with length.", "cause",
                                               {"max_tokens", "context"}),
      .cancel_time = to.histogram("mie_cancel_seconds", "Disconnect seen to KV blocks free.", first_token_buckets()),
      .waiting_tokens = to.gauge("mie_waiting_tokens", "Tokens of the waiting choices."),
      .tokens_computed = to.counters<ComputeKind>("mie_tokens_computed_total", "Rows run through the model.", "kind",
                                                  {"prefill", "recompute", "decode", "rejected"}),
      .prefill_abandoned = to.counter("mie_prefill_tokens_abandoned_total",
                                      "Prompt tokens computed for prompts whose prefill was never completed."),
      .tokens_delivered = to.counter("mie_tokens_delivered_total", "Sampled tokens in the usage of complete answers."),
      .tokens_pending = to.gauge("mie_tokens_pending", "Sampled tokens of live choices."),
      .tokens_discarded =
          to.counters<DiscardReason>("mie_tokens_discarded_total", "Sampled tokens in no complete answer.", "reason",
                                     {"overshoot", "error", "client_gone", "aborted", "deadline", "slow_reader", "shutdown"}),
      .kv_blocks = to.gauges<BlockUse>("mie_kv_blocks", "KV blocks.", "state", {"free", "used", "cached"}),
      .kv_capacity = to.gauge("mie_kv_blocks_capacity", "All KV blocks."),
      .kv_waste = to.gauge("mie_kv_waste_ratio", "Unused token slots over all token slots of used blocks."),
      .prefix_evictions = to.counter("mie_prefix_evictions_total", "Cached KV blocks given up for others."),
      .steps = to.counter("mie_steps_total", "Steps that ran and were committed."),
      .steps_without_progress = to.counter("mie_steps_without_progress_total", "Steps with work to do and nothing planned."),
      .step_time = to.step_phases("mie_step_seconds", "Time of a step.", token_gap_buckets()),
      .batch_seqs = to.histogram("mie_batch_seqs", "Choices in a step.", step_buckets()),
      .last_step_age = to.gauge("mie_last_step_age_seconds", "Time since the last step ended, or since the start."),
  };
}

}  // namespace mie
