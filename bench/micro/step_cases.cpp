#include "bench/micro/step_cases.h"

#include "bench/micro/steps.h"
#include "bench/micro/work_count.h"
#include "models/native/native_runner.h"
#include "models/native/packed_model.h"
#include "models/registry.h"
#include "models/weights/gguf.h"

#include <algorithm>
#include <memory>

namespace mie::bench {
namespace {

constexpr int kBlockSize = 32;
constexpr int kDecodes[] = {1, 8, 32}, kMostSeqs = 32;  // sequences of a step
constexpr int kPrefillRows = 512;
constexpr const char* kPrefillName = "step/prefill-512";

std::string decode_name(int n_seqs) { return "step/decode-" + std::to_string(n_seqs); }

std::vector<std::string> step_names() {
  std::vector<std::string> names = {kPrefillName};
  for (const int n_seqs : kDecodes) names.push_back(decode_name(n_seqs));
  return names;
}

// Packed bytes that one step of few rows reads: every matrix once, and of the embedding nothing but the head's use of it.
double step_weight_bytes(const ModelPlan& plan, const WeightSource& source) {
  double total = 0;
  for (const TensorSlot& slot : plan.tensors) {
    const bool is_head = slot.role == (plan.spec.tied_embeddings ? TensorRole::kEmbedding : TensorRole::kOutput);
    if (slot.shape.size() != 2 || (slot.role == TensorRole::kEmbedding && !is_head)) continue;
    const TensorView* view = source.find(slot.name);
    if (view == nullptr) continue;
    total +=
        weight_bytes(native::pack_format_of(view->format), static_cast<int>(slot.shape[1]), static_cast<int>(slot.shape[0]));
  }
  return total;
}

void measure_decode(MicroSession& session, ModelRunner& runner, const ModelSpec& spec, double weights, int n_seqs) {
  const int context = session.sizes().step_context;
  const auto set = SequenceSet::make(n_seqs, context, kBlockSize);
  const StepBatch batch = step_of(set, context - 1, 1, true);
  const auto rows = greedy_rows(batch);
  std::vector<Sampled> sampled(rows.size());
  const AttentionShape shape{spec.n_heads, spec.n_kv_heads, spec.head_dim};
  const double kv = kv_bytes(shape, static_cast<double>(context) * n_seqs) * spec.n_layers;
  session.measure({.name = decode_name(n_seqs),
                   .bytes = weights + kv,
                   .limit = n_seqs == 1 ? Limit::kRead : Limit::kNone,
                   .on_pool = false,
                   .run = [&] { runner.run(batch, rows, sampled); }});
}

}  // namespace

Result<void> run_step_cases(MicroSession& session, const std::string& path) {
  if (std::ranges::none_of(step_names(), [&](const std::string& name) { return session.wants(name); })) return {};
  auto file = GgufFile::open(path);
  if (!file) return file.error();
  const auto plan = plan_model(**file);
  if (!plan) return plan.error();
  const int context = std::max(session.sizes().step_context, kPrefillRows);
  native::NativeOptions options;
  options.block_size = kBlockSize;
  options.n_blocks = kMostSeqs * ((context + kBlockSize - 1) / kBlockSize);
  options.max_rows = kPrefillRows;
  options.max_logits = kMostSeqs;
  options.max_positions = context;
  options.n_tokens = plan->spec.n_vocab;
  options.isa = session.kernels().isa;
  options.n_threads = session.n_threads();
  options.cores = session.cores();
  auto runner = native::make_native_runner(*plan, **file, options, [](std::int64_t, std::int64_t) {});
  if (!runner) return runner.error();
  fill_pages(**runner, SequenceSet::make(kMostSeqs, context, kBlockSize), kPrefillRows);
  const double weights = step_weight_bytes(*plan, **file);
  for (const int n_seqs : kDecodes) measure_decode(session, **runner, plan->spec, weights, n_seqs);
  const StepBatch prompt = step_of(SequenceSet::make(1, kPrefillRows, kBlockSize), 0, kPrefillRows, true);
  const auto rows = greedy_rows(prompt);
  std::vector<Sampled> sampled(rows.size());
  session.measure(
      {.name = kPrefillName, .bytes = weights, .on_pool = false, .run = [&] { (*runner)->run(prompt, rows, sampled); }});
  return {};
}

}  // namespace mie::bench
