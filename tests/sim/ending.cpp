#include "tests/sim/ending.h"

#include "core/engine/engine_loop.h"
#include "tests/fakes/conservation_laws.h"

#include <string>

namespace mie::sim {
namespace {

std::int64_t count(const MetricsText& metrics, const char* name) { return static_cast<std::int64_t>(metrics.sum(name)); }

void check_pool(Stage& stage) {
  EngineCore& core = stage.engine.loop().core();
  core.flush_prefixes();
  const EngineSnapshot snapshot = core.snapshot();
  if (snapshot.n_free_blocks != snapshot.n_blocks()) stage.tell("blocks are not free at the end");
  if (snapshot.n_unreleased != 0) stage.tell("releases are owed at the end");
  for (const std::string& line : broken_invariants(snapshot)) stage.tell(line);
}

void check_sums(Stage& stage, const MetricsText& metrics, const Crowd& crowd) {
  std::int64_t n_delivered = 0, n_read = 0;
  for (const auto& [id, reader] : crowd.readers()) {
    n_delivered += reader->n_delivered();
    n_read += reader->n_read();
  }
  const auto expect = [&](const char* name, std::int64_t right) {
    if (count(metrics, name) == right) return;
    stage.tell(std::string(name) + " is " + std::to_string(count(metrics, name)) + ", right is " + std::to_string(right));
  };
  expect("mie_choices_accepted_total", static_cast<std::int64_t>(crowd.readers().size()));
  expect("vllm:request_success_total", static_cast<std::int64_t>(crowd.readers().size()));
  expect("mie_tokens_delivered_total", n_delivered);
  expect("mie_steps_without_progress_total", 0);
  if (count(metrics, "vllm:generation_tokens_total") < n_read) stage.tell("more tokens were read than sampled");
}

}  // namespace

void check_ending(Stage& stage, const MetricsText& metrics, const Crowd& crowd) {
  check_pool(stage);
  for (const std::string& line : broken_laws(metrics, LawsOf::kIdle)) stage.tell(line);
  check_sums(stage, metrics, crowd);
}

Figures figures_of(const MetricsText& metrics, const Crowd& crowd) {
  return {.n_requests = crowd.n_requests(),
          .n_choices = count(metrics, "mie_choices_accepted_total"),
          .n_refused = crowd.n_refused(),
          .n_tokens = count(metrics, "vllm:generation_tokens_total"),
          .n_preemptions = count(metrics, "vllm:num_preemptions_total"),
          .n_cached_tokens = count(metrics, "vllm:prefix_cache_hits_total"),
          .n_prefixes_evicted = count(metrics, "mie_prefix_evictions_total"),
          .n_drafts_accepted = count(metrics, "vllm:spec_decode_num_accepted_tokens_total")};
}

}  // namespace mie::sim
