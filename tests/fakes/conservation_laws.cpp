#include "tests/fakes/conservation_laws.h"

#include <cmath>
#include <sstream>

namespace mie {
namespace {

class Laws {
 public:
  explicit Laws(const MetricsText& metrics) : metrics_(metrics) {}

  void equal(const char* law, double left, double right) {
    if (std::abs(left - right) <= 1e-9 * std::max(1.0, std::abs(left))) return;
    std::ostringstream line;
    line << law << ": " << left << " != " << right;
    broken_.push_back(line.str());
  }
  void at_most(const char* law, double left, double right) {
    if (left > right + 1e-9 * std::max(1.0, std::abs(right))) equal(law, left, right);
  }
  [[nodiscard]] double of(const char* name, const MetricsText::Labels& labels = {}) const {
    return metrics_.value(name, labels);
  }
  [[nodiscard]] double sum(const char* name) const { return metrics_.sum(name); }
  std::vector<std::string> broken() && { return std::move(broken_); }

 private:
  const MetricsText& metrics_;
  std::vector<std::string> broken_;
};

void at_any_time(Laws& laws) {
  const double ended = laws.sum("vllm:request_success_total");
  const double first_tokens = laws.of("vllm:time_to_first_token_seconds_count");
  const double generated = laws.of("vllm:generation_tokens_total");
  laws.equal("C3 accepted = running + waiting + ended", laws.of("mie_choices_accepted_total"),
             laws.of("vllm:num_requests_running") + laws.of("vllm:num_requests_waiting") + ended);
  laws.equal("C4 end-to-end count = ended", laws.of("vllm:e2e_request_latency_seconds_count"), ended);
  laws.equal("C4 generation count = ended", laws.of("vllm:request_generation_tokens_count"), ended);
  laws.equal("C6 gaps = tokens - first tokens", laws.of("vllm:inter_token_latency_seconds_count"), generated - first_tokens);
  laws.equal("C7 tokens = delivered + discarded + pending", generated,
             laws.of("mie_tokens_delivered_total") + laws.sum("mie_tokens_discarded_total") + laws.of("mie_tokens_pending"));
  laws.equal("C9 prompt tokens = sum over sources", laws.of("vllm:prompt_tokens_total"),
             laws.sum("vllm:prompt_tokens_by_source_total"));
  laws.equal("C11 iteration sum = computed", laws.of("vllm:iteration_tokens_total_sum"), laws.sum("mie_tokens_computed_total"));
  laws.equal("C11 iteration count = steps", laws.of("vllm:iteration_tokens_total_count"), laws.of("mie_steps_total"));
  const double capacity = laws.of("mie_kv_blocks_capacity");
  const double used = laws.of("mie_kv_blocks", {{"state", "used"}});
  laws.equal("C12 sum of blocks = capacity", laws.sum("mie_kv_blocks"), capacity);
  laws.equal("C12 usage = used / capacity", laws.of("vllm:kv_cache_usage_perc"), used / capacity);
  laws.at_most("C13 hits <= queries", laws.of("vllm:prefix_cache_hits_total"), laws.of("vllm:prefix_cache_queries_total"));
  laws.equal("C13 length = length stops", laws.of("vllm:request_success_total", {{"finished_reason", "length"}}),
             laws.sum("mie_length_stops_total"));
  const double inference = laws.of("vllm:request_inference_time_seconds_sum");
  laws.at_most("C14 queue + inference <= end to end", laws.of("vllm:request_queue_time_seconds_sum") + inference,
               laws.of("vllm:e2e_request_latency_seconds_sum"));
  laws.equal("C14 prefill + decode = inference",
             laws.of("vllm:request_prefill_time_seconds_sum") + laws.of("vllm:request_decode_time_seconds_sum"), inference);
}

void when_idle(Laws& laws) {
  laws.equal("C5 first tokens = accepted - without token", laws.of("vllm:time_to_first_token_seconds_count"),
             laws.of("mie_choices_accepted_total") - laws.of("mie_choices_without_token_total"));
  laws.equal("C10 prefill = computed prompts + abandoned", laws.of("mie_tokens_computed_total", {{"kind", "prefill"}}),
             laws.of("vllm:prompt_tokens_by_source_total", {{"source", "local_compute"}}) +
                 laws.of("mie_prefill_tokens_abandoned_total"));
  laws.equal("C12 used", laws.of("mie_kv_blocks", {{"state", "used"}}), 0);
  for (const char* gauge : {"vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc",
                            "mie_waiting_tokens", "mie_tokens_pending", "mie_kv_waste_ratio"})
    laws.equal(gauge, laws.of(gauge), 0);
}

}  // namespace

std::vector<std::string> broken_laws(const MetricsText& metrics, LawsOf when) {
  Laws laws(metrics);
  at_any_time(laws);
  if (when == LawsOf::kIdle) when_idle(laws);
  return std::move(laws).broken();
}

}  // namespace mie
