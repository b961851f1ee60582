#include "models/native/forward.h"

#include "models/native/gathered_kv.h"
#include "models/sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mie::native {
namespace {

// Rows of a row-wise operation that one thread takes at a time; below it the caller does them alone, since a region costs
// about as much as a few rows.
constexpr int kRowGrain = 4;

// The token of this row is the highest logit and nothing else of the row of logits is asked for.
bool takes_the_best(const SamplingRow& row) {
  return row.temperature <= kGreedyTemperature && row.n_top_logprobs < 0 && row.logit_bias.empty() && row.banned.empty() &&
         row.presence_penalty == 0 && row.frequency_penalty == 0 && row.repetition_penalty == 1;
}

}  // namespace

Forward::Forward(const PackedModel& model, KvPages& kv, Workspace& work, ThreadPool& pool, const KernelTable& kernels,
                 ForwardOptions options, const RopeTable& rope)
    : model_(model), kv_(kv), work_(work), pool_(pool), kernels_(kernels), options_(options), rope_(rope) {}

void Forward::run(const StepBatch& batch) {
  const ModelSpec& spec = model_.spec;
  plan_.make(batch, spec.n_heads / spec.n_kv_heads, spec.n_kv_heads, pool_.n_threads());
  seq_of_row_.clear();
  for (int seq = 0; seq < batch.n_seqs(); ++seq) {
    seq_of_row_.resize(static_cast<std::size_t>(batch.row_starts[static_cast<std::size_t>(seq) + 1]), seq);
  }
  for (const BlockCopy copy : batch.copies) kv_.copy(copy);
  embed(batch);
  show(TapPoint::kEmbed, batch);
  for (int layer = 0; layer < spec.n_layers; ++layer) {
    const PackedLayer& weights = model_.layers[static_cast<std::size_t>(layer)];
    norm(batch, weights.attn_norm);
    show(TapPoint::kAttnNorm, batch, layer);
    project_qkv(batch, layer);
    for (const TapPoint point : {TapPoint::kQ, TapPoint::kK, TapPoint::kV}) show(point, batch, layer);
    attend(batch, layer);
    show(TapPoint::kAttnOut, batch, layer);
    project_attn(batch, layer);
    show(TapPoint::kResidualMid, batch, layer);
    norm(batch, weights.ffn_norm);
    show(TapPoint::kFfnNorm, batch, layer);
    feed_forward(batch, layer);
    for (const TapPoint point : {TapPoint::kFfnOut, TapPoint::kResidual}) show(point, batch, layer);
  }
}

BestLogit Forward::best(int i) const {
  BestLogit best;
  for (const auto& thread : work_.threads) {
    const BestLogit& of_thread = thread.best[i];
    best.sound &= of_thread.sound;
    if (of_thread.value < best.value || of_thread.id < 0) continue;
    if (of_thread.value == best.value && best.id >= 0 && best.id < of_thread.id) continue;
    best.value = of_thread.value;
    best.id = of_thread.id;
  }
  return best;
}

std::span<float> Forward::logits(int i) const {
  const std::size_t width = model_.head.panels.size() * kPanel;
  return work_.logits.subspan(static_cast<std::size_t>(i) * width, static_cast<std::size_t>(model_.spec.n_vocab));
}

void Forward::embed(const StepBatch& batch) {
  pool_.for_each(batch.n_tokens(), kRowGrain,
                 [&](int row, int) { model_.embed(batch.tokens[static_cast<std::size_t>(row)], x(row)); });
}

void Forward::norm(const StepBatch& batch, std::span<const float> weight) {
  const int hidden = model_.spec.hidden;
  pool_.for_each(batch.n_tokens(), kRowGrain, [&](int row, int thread) {
    float* normed = work_.threads[static_cast<std::size_t>(thread)].row;
    kernels_.rms_norm_row(x(row), weight.data(), hidden, model_.spec.norm_eps, normed);
    work_.hidden_in.write(kernels_, row, 0, {normed, static_cast<std::size_t>(hidden)});
  });
}

void Forward::project_qkv(const StepBatch& batch, int layer) {
  multiply(model_.layers[static_cast<std::size_t>(layer)].qkv, work_.hidden_in, batch.n_tokens(),
           [&](const ItemRows& out) { store_head(batch, layer, out); });
}

// One head of Q, K or V for some rows: rotate, round, and to the queries or the pages.
void Forward::store_head(const StepBatch& batch, int layer, const ItemRows& out) {
  const ModelSpec& spec = model_.spec;
  const int n_panels = spec.head_dim / kPanel;
  const bool is_query = out.item < spec.n_heads, is_value = out.item >= spec.n_heads + spec.n_kv_heads;
  const int kv_head = (out.item - spec.n_heads) % spec.n_kv_heads;
  const auto& own = work_.threads[static_cast<std::size_t>(out.thread)];
  const std::span<const std::uint16_t> rounded(own.bf16_row, static_cast<std::size_t>(spec.head_dim));
  for (int r = 0; r < out.n_rows; ++r) {
    const int row = out.row + r, position = batch.positions[static_cast<std::size_t>(row)];
    for (int p = 0; p < n_panels; ++p) std::copy_n(out.at(p, r), kPanel, own.row + std::ptrdiff_t{p} * kPanel);
    if (!is_value) kernels_.rotate_row(own.row, rope_.cosine(position), rope_.sine(position), rope_.half());
    if (is_query) {
      kernels_.store_bf16(own.row, spec.head_dim, q(row, out.item));
      continue;
    }
    kernels_.store_bf16(own.row, spec.head_dim, own.bf16_row);
    const KvHead kv = kv_.head(layer, kv_head, table(batch, seq_of_row_[static_cast<std::size_t>(row)]));
    is_value ? KvPages::store_value(kv, position, rounded) : KvPages::store_key(kv, position, rounded);
  }
}

void Forward::attend(const StepBatch& batch, int layer) {
  const int n_kv_heads = model_.spec.n_kv_heads;
  const auto n_items = static_cast<int>(plan_.items().size());
  for (int item = 0; item < n_items; ++item) {
    const AttnItem& it = plan_.items()[static_cast<std::size_t>(item)];
    if (it.part != 0) continue;
    for (int head = 0; head < n_kv_heads; ++head) {
      parts_left(it.row, head).store(it.n_parts, std::memory_order_relaxed);
    }
  }
  pool_.for_each(n_items * n_kv_heads, 1,
                 [&](int i, int thread) { attend_item(batch, layer, i / n_kv_heads, i % n_kv_heads, thread); });
}

// All query heads of one KV head for the item's tokens, at most kAttnRows at a time.
void Forward::attend_item(const StepBatch& batch, int layer, int item, int kv_head, int thread) {
  const AttnItem& it = plan_.items()[static_cast<std::size_t>(item)];
  const int group = model_.spec.n_heads / model_.spec.n_kv_heads;
  KvHead kv = kv_.head(layer, kv_head, table(batch, it.seq));
  if (options_.switches.gathers()) {
    const int end = batch.positions[static_cast<std::size_t>(it.row + it.n_rows - 1)] + 1;
    kv = gather(kv, it.first_chunk * kAttnChunk, std::min(it.last_chunk * kAttnChunk, end),
                work_.threads[static_cast<std::size_t>(thread)].gathered);
  }
  const int n = it.n_rows * group;  // query rows, token-major
  const int at_once = options_.switches.attention == Switches::Attention::kNaive ? 1 : kAttnRows;
  for (int first = 0; first < n; first += at_once)
    attend_rows(batch, kv, it, kv_head, first, std::min(at_once, n - first), thread);
  if (it.part < 0) return;
  auto& left = parts_left(it.row, kv_head);
  if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) finish_parts(it, plan_.slot(item), kv_head, thread);
}

// Chunk by chunk, each restarted and then combined in ascending order, whoever computed it: the bits are the same whether
// a row is one item or many.
void Forward::attend_rows(const StepBatch& batch, const KvHead& kv, const AttnItem& item, int kv_head, int first, int n,
                          int thread) {
  const ModelSpec& spec = model_.spec;
  const int group = spec.n_heads / spec.n_kv_heads;
  const auto& own = work_.threads[static_cast<std::size_t>(thread)];
  const std::uint16_t* queries = q(item.row, kv_head * group) + static_cast<std::ptrdiff_t>(first) * spec.head_dim;
  std::int32_t row_last[kAttnRows];
  for (int i = 0; i < n; ++i) {
    const int row = item.row + (first + i) / group;
    row_last[i] = batch.positions[static_cast<std::size_t>(row)];
  }
  const int end = row_last[n - 1] + 1;
  float max[kAttnRows], sum[kAttnRows], running_max[kAttnRows], running_sum[kAttnRows];
  std::fill_n(running_max, n, -std::numeric_limits<float>::infinity());
  std::fill_n(running_sum, n, 0.0F);
  std::fill_n(own.running, n * spec.head_dim, 0.0F);
  for (int chunk = item.first_chunk; chunk < item.last_chunk; ++chunk) {
    const int begin = chunk * kAttnChunk;
    const AttnTask task{
        queries, row_last, n, begin, std::min(begin + kAttnChunk, end), 1.0F / std::sqrt(static_cast<float>(spec.head_dim))};
    kernels_.attend(kv, task, {max, sum, own.partial});
    for (int i = 0; i < n; ++i) {
      const int at = i * spec.head_dim;
      kernels_.combine(spec.head_dim, running_max[i], running_sum[i], own.running + at, max[i], sum[i], own.partial + at);
    }
  }
  for (int i = 0; i < n; ++i) {
    const int row = item.row + (first + i) / group, head = kv_head * group + (first + i) % group;
    float* out = own.running + std::ptrdiff_t{i} * spec.head_dim;
    if (item.part >= 0) {
      const std::size_t slot =
          static_cast<std::size_t>(plan_.slot(static_cast<int>(&item - plan_.items().data())) + item.part) *
              static_cast<std::size_t>(spec.n_heads) +
          static_cast<std::size_t>(head);
      work_.part_max[slot] = running_max[i];
      work_.part_sum[slot] = running_sum[i];
      std::copy_n(out, spec.head_dim, work_.part_out.data() + slot * static_cast<std::size_t>(spec.head_dim));
      continue;
    }
    kernels_.normalise(spec.head_dim, running_sum[i], out);
    work_.attn_in.write(kernels_, row, head * spec.head_dim, {out, static_cast<std::size_t>(spec.head_dim)});
  }
  if (options_.tap != nullptr && item.part < 0) [[unlikely]]
    keep_attended(item, kv_head, first, {own.running, static_cast<std::size_t>(n * spec.head_dim)});
}

// The last part of a row to end puts the parts together.
void Forward::finish_parts(const AttnItem& item, int slot, int kv_head, int thread) {
  const ModelSpec& spec = model_.spec;
  const int group = spec.n_heads / spec.n_kv_heads;
  const bool kept = options_.tap != nullptr;
  float* outs = kept ? attended(item.row) : work_.threads[static_cast<std::size_t>(thread)].running;
  for (int head = kv_head * group; head < (kv_head + 1) * group; ++head) {
    float* out = kept ? outs + std::ptrdiff_t{head} * spec.head_dim : outs;
    float max = -std::numeric_limits<float>::infinity(), sum = 0;
    std::fill_n(out, spec.head_dim, 0.0F);
    for (int part = 0; part < item.n_parts; ++part) {
      const std::size_t at =
          static_cast<std::size_t>(slot + part) * static_cast<std::size_t>(spec.n_heads) + static_cast<std::size_t>(head);
      kernels_.combine(spec.head_dim, max, sum, out, work_.part_max[at], work_.part_sum[at],
                       work_.part_out.data() + at * static_cast<std::size_t>(spec.head_dim));
    }
    kernels_.normalise(spec.head_dim, sum, out);
    work_.attn_in.write(kernels_, item.row, head * spec.head_dim, {out, static_cast<std::size_t>(spec.head_dim)});
  }
}

void Forward::add_to_residual(const ItemRows& out) {
  for (int r = 0; r < out.n_rows; ++r)
    kernels_.add_row(x(out.row + r) + std::ptrdiff_t{out.item} * kPanel, out.at(0, r), kPanel);
}

void Forward::project_attn(const StepBatch& batch, int layer) {
  multiply(model_.layers[static_cast<std::size_t>(layer)].attn_out, work_.attn_in, batch.n_tokens(),
           [&](const ItemRows& out) { add_to_residual(out); });
}

void Forward::feed_forward(const StepBatch& batch, int layer) {
  const PackedLayer& weights = model_.layers[static_cast<std::size_t>(layer)];
  multiply(weights.gate_up, work_.hidden_in, batch.n_tokens(), [&](const ItemRows& out) {
    for (int r = 0; r < out.n_rows; ++r) {
      float* gate = out.at(0, r);
      kernels_.silu_mul_panel(gate, out.at(1, r), gate);
      work_.ffn_in.write(kernels_, out.row + r, out.item * kPanel, {gate, kPanel});
    }
  });
  multiply(weights.down, work_.ffn_in, batch.n_tokens(), [&](const ItemRows& out) { add_to_residual(out); });
}

void Forward::project_logits(std::span<const std::int32_t> rows, std::span<const SamplingRow> sampling) {
  only_best_.clear();
  const bool may_skip = options_.switches.sampling == Switches::Sampling::kBatch;
  for (const SamplingRow& row : sampling) only_best_.push_back(may_skip && takes_the_best(row) ? 1 : 0);
  const int hidden = model_.spec.hidden;
  const auto n = static_cast<int>(rows.size());
  pool_.for_each(n, kRowGrain, [&](int i, int thread) {
    float* normed = work_.threads[static_cast<std::size_t>(thread)].row;
    kernels_.rms_norm_row(x(rows[static_cast<std::size_t>(i)]), model_.output_norm.data(), hidden, model_.spec.norm_eps,
                          normed);
    work_.head_in.write(kernels_, i, 0, {normed, static_cast<std::size_t>(hidden)});
  });
  for (const auto& thread : work_.threads) std::fill_n(thread.best, n, BestLogit{});
  multiply(model_.head, work_.head_in, n, [&](const ItemRows& out) { take_logits(out); });
  if (options_.tap != nullptr) show_logits(rows);
}

void Forward::take_logits(const ItemRows& out) {
  const std::size_t width = model_.head.panels.size() * kPanel;
  const int first_id = out.item * kPanel;
  BestLogit* best = work_.threads[static_cast<std::size_t>(out.thread)].best;
  for (int r = 0; r < out.n_rows; ++r) {
    const int i = out.row + r;
    if (only_best(i)) {
      kernels_.find_best(out.at(0, r), options_.n_tokens - first_id, first_id, best[i]);
    } else {
      std::copy_n(out.at(0, r), kPanel,
                  work_.logits.data() + static_cast<std::size_t>(i) * width + static_cast<std::size_t>(first_id));
    }
  }
}

}  // namespace mie::native
