#include "bench/micro/attention_cases.h"

#include "bench/micro/random_model.h"
#include "bench/micro/steps.h"
#include "bench/micro/work_count.h"
#include "core/base/ensure.h"
#include "models/native/native_runner.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace mie::bench {
namespace {

constexpr int kBlockSize = 32;
constexpr int kSmallest = 32;  // hidden and feed-forward width, vocabulary

std::string shape_name(const AttentionShape& shape) {
  return "group-" + std::to_string(shape.n_heads / shape.n_kv_heads) + "-d" + std::to_string(shape.head_dim);
}

ModelSpec spec_of(const AttentionShape& shape, int n_layers, int context) {
  ModelSpec spec;
  spec.architecture = "llama";
  spec.n_vocab = kSmallest;
  spec.n_layers = n_layers;
  spec.hidden = kSmallest;
  spec.n_heads = shape.n_heads;
  spec.n_kv_heads = shape.n_kv_heads;
  spec.head_dim = shape.head_dim;
  spec.ffn_hidden = kSmallest;
  spec.context_length = context;
  spec.rope.n_rotary_dims = shape.head_dim;
  spec.tied_embeddings = true;
  return spec;
}

std::unique_ptr<ModelRunner> make_runner(const MicroSession& session, const ModelSpec& spec, int n_blocks, int max_rows) {
  const RandomModel model(spec);
  native::NativeOptions options;
  options.n_blocks = n_blocks;
  options.block_size = kBlockSize;
  options.max_rows = max_rows;
  options.max_logits = 1;
  options.max_positions = spec.context_length;
  options.n_tokens = spec.n_vocab;
  options.isa = session.kernels().isa;
  options.n_threads = session.n_threads();
  options.cores = session.cores();
  auto runner = native::make_native_runner(model.plan(), model, options, [](std::int64_t, std::int64_t) {});
  ENSURE(runner.has_value(), "memory for a benchmark");
  return std::move(*runner);
}

// Layers enough that K and V of a step are larger than the caches.
void run_decode(MicroSession& session, const AttentionShape& shape) {
  const std::string name = "attention/decode/" + shape_name(shape);
  if (!session.wants(name)) return;
  const Sizes& sizes = session.sizes();
  const double per_layer = kv_bytes(shape, static_cast<double>(sizes.decode_context) * sizes.decode_seqs);
  const int n_layers = std::max(1, static_cast<int>(std::ceil(static_cast<double>(sizes.cold_bytes) / per_layer)));
  const auto set = SequenceSet::make(sizes.decode_seqs, sizes.decode_context, kBlockSize);
  constexpr int kMaxRows = 512;
  const auto runner = make_runner(session, spec_of(shape, n_layers, sizes.decode_context), static_cast<int>(set.blocks.size()),
                                  std::max(kMaxRows, sizes.decode_seqs));
  fill_pages(*runner, set, kMaxRows);
  const StepBatch last = step_of(set, sizes.decode_context - 1, 1, false), first = step_of(set, 0, 1, false);
  session.measure({.name = name,
                   .bytes = per_layer * n_layers,
                   .ops = attention_ops(shape, static_cast<double>(sizes.decode_context) * sizes.decode_seqs) * n_layers,
                   .limit = Limit::kRead,
                   .on_pool = false,
                   .run = [&] { runner->run(last, {}, {}); },
                   .rest = [&] { runner->run(first, {}, {}); }});
}

// The same rows as sequences of one page each see so little that what is left is the attention of the long ones.
void run_prefill(MicroSession& session, const AttentionShape& shape) {
  const std::string name = "attention/prefill/" + shape_name(shape);
  if (!session.wants(name)) return;
  const int n = session.sizes().prefill_tokens;
  const auto whole = SequenceSet::make(1, n, kBlockSize), pages = SequenceSet::make(n / kBlockSize, kBlockSize, kBlockSize);
  const auto runner = make_runner(session, spec_of(shape, 1, n), whole.n_blocks, n);
  const StepBatch prompt = step_of(whole, 0, n, false), pieces = step_of(pages, 0, kBlockSize, false);
  const double pairs = causal_pairs(0, n) - pages.n_seqs * causal_pairs(0, kBlockSize);
  session.measure({.name = name,
                   .bytes = 0,
                   .ops = attention_ops(shape, pairs),
                   .limit = Limit::kBf16,
                   .on_pool = false,
                   .run = [&] { runner->run(prompt, {}, {}); },
                   .rest = [&] { runner->run(pieces, {}, {}); }});
}

}  // namespace

void run_attention_cases(MicroSession& session) {
  for (const AttentionShape& shape : {AttentionShape{9, 3, 64}, AttentionShape{28, 4, 128}}) {
    run_decode(session, shape);
    run_prefill(session, shape);
  }
}

}  // namespace mie::bench
