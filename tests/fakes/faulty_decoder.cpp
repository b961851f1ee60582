#include "tests/fakes/faulty_decoder.h"

#include <algorithm>
#include <numeric>

namespace mie::test {
namespace {

Vector embedding_of(const SyntheticModel& model, std::int32_t token) {
  const auto row = model.numbers(TensorRole::kEmbedding, -1).begin() + std::ptrdiff_t{token} * model.spec().hidden;
  return {row, row + model.spec().hidden};
}

// Dimensions in the order (i, i + d/2) of their pairs, as a tap has them.
Vector with_half_pairs(const ModelSpec& spec, const Vector& heads) {
  if (spec.rope.pairing == RopePairing::kHalf) return heads;
  Vector out = heads;
  const auto half = static_cast<std::size_t>(spec.rope.n_rotary_dims / 2);
  for (std::size_t head = 0; head < heads.size(); head += static_cast<std::size_t>(spec.head_dim)) {
    for (std::size_t i = 0; i < half; ++i) {
      out[head + i] = heads[head + 2 * i];
      out[head + half + i] = heads[head + 2 * i + 1];
    }
  }
  return out;
}

}  // namespace

FaultyDecoder::FaultyDecoder(const SyntheticModel& model, int n_blocks, int block_size, LayerTap* tap, Planted planted)
    : model_(model), block_size_(block_size), tap_(tap), planted_(planted) {
  const ModelSpec& spec = model.spec();
  const Vector zeros(static_cast<std::size_t>(spec.n_kv_heads) * static_cast<std::size_t>(spec.head_dim));
  const std::vector<Cached> of_layer(static_cast<std::size_t>(n_blocks) * static_cast<std::size_t>(block_size), {zeros, zeros});
  slots_.assign(static_cast<std::size_t>(spec.n_layers), of_layer);
}

bool FaultyDecoder::here(Fault fault, int layer, int position) const {
  return planted_.fault == fault && planted_.layer == layer && planted_.position == position;
}

FaultyDecoder::Cached& FaultyDecoder::slot(int layer, const std::int32_t* table, int position) {
  const std::int64_t at = std::int64_t{table[position / block_size_]} * block_size_ + position % block_size_;
  return slots_[static_cast<std::size_t>(layer)].at(static_cast<std::size_t>(at));
}

void FaultyDecoder::run(const StepBatch& batch, std::span<const SamplingRow>, std::span<Sampled> sampled) {
  const ModelSpec& spec = model_.spec();
  for (auto& layer : slots_) {
    for (const BlockCopy& copy : batch.copies)
      std::copy_n(layer.begin() + copy.from * block_size_, block_size_, layer.begin() + copy.to * block_size_);
  }
  std::vector<Vector> xs;
  places_.clear();
  for (int seq = 0; seq < batch.n_seqs(); ++seq) {
    const auto s = static_cast<std::size_t>(seq);
    for (std::int32_t row = batch.row_starts[s]; row < batch.row_starts[s + 1]; ++row) {
      const std::int32_t position = batch.positions[static_cast<std::size_t>(row)];
      const std::int32_t token = batch.tokens[static_cast<std::size_t>(row)];
      places_.push_back({position, batch.block_tables.data() + std::ptrdiff_t{seq} * batch.max_blocks});
      xs.push_back(embedding_of(model_, here(Fault::kWrongToken, 0, position) ? (token + 1) % spec.n_vocab : token));
    }
  }
  show_all(TapPoint::kEmbed, -1, xs);
  for (int layer = 0; layer < spec.n_layers; ++layer) run_layer(layer, xs);

  const TensorRole head = spec.tied_embeddings ? TensorRole::kEmbedding : TensorRole::kOutput;
  std::vector<Vector> normed, logits;
  for (std::size_t i = 0; i < batch.logits_rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(batch.logits_rows[i]);
    normed.push_back(normalise(model_.numbers(TensorRole::kOutputNorm, -1), xs[row], spec.norm_eps));
    Vector& own = logits.emplace_back(multiply(model_.numbers(head, -1), normed.back()));
    if (here(Fault::kLogits, 0, places_[row].position)) std::rotate(own.begin(), own.end() - 1, own.end());
    const auto best = std::max_element(own.begin(), own.end());
    Vector others = own;
    others[static_cast<std::size_t>(best - own.begin())] = *std::min_element(own.begin(), own.end()) - 1;
    const auto second = std::max_element(others.begin(), others.end()) - others.begin();
    const auto taken = here(Fault::kSecondBest, 0, places_[row].position) ? second : best - own.begin();
    sampled[i].token = TokenId(static_cast<std::int32_t>(taken));
  }
  show(TapPoint::kFinalNorm, -1, normed, batch.logits_rows);
  show(TapPoint::kLogits, -1, logits, batch.logits_rows);
}

void FaultyDecoder::run_layer(int layer, std::vector<Vector>& xs) {
  const ModelSpec& spec = model_.spec();
  const auto numbers = [&](TensorRole role) -> const std::vector<float>& { return model_.numbers(role, layer); };
  ModelSpec turning = spec;
  if (planted_.fault == Fault::kRopePairs && planted_.layer == layer) turning.rope.pairing = RopePairing::kInterleaved;
  std::vector<Vector> normed, queries, keys, values, mixed, ffn_in, ffn_out;
  for (std::size_t row = 0; row < xs.size(); ++row) {
    const int position = places_[row].position;
    const auto turned_for = static_cast<std::size_t>(here(Fault::kPosition, layer, position) ? position + 1 : position);
    normed.push_back(normalise(numbers(TensorRole::kAttnNorm), xs[row], spec.norm_eps));
    rotate(turning, queries.emplace_back(multiply(numbers(TensorRole::kQ), normed.back())), turned_for);
    Cached cached{multiply(numbers(TensorRole::kK), normed.back()), multiply(numbers(TensorRole::kV), normed.back())};
    rotate(turning, cached.k, turned_for);
    write(layer, places_[row], std::move(cached));
  }
  for (std::size_t row = 0; row < xs.size(); ++row) {
    const Cached& written = slot(layer, places_[row].table, places_[row].position);
    keys.push_back(with_half_pairs(spec, written.k));
    values.push_back(written.v);
    mixed.push_back(read(layer, places_[row], queries[row]));
    add(xs[row], multiply(numbers(TensorRole::kAttnOut), mixed.back()));
    queries[row] = with_half_pairs(spec, queries[row]);
  }
  show_all(TapPoint::kAttnNorm, layer, normed);
  show_all(TapPoint::kQ, layer, queries);
  show_all(TapPoint::kK, layer, keys);
  show_all(TapPoint::kV, layer, values);
  show_all(TapPoint::kAttnOut, layer, mixed);
  show_all(TapPoint::kResidualMid, layer, xs);
  for (Vector& x : xs) {
    ffn_in.push_back(normalise(numbers(TensorRole::kFfnNorm), x, spec.norm_eps));
    add(x, ffn_out.emplace_back(feed_forward(layer, ffn_in.back())));
  }
  show_all(TapPoint::kFfnNorm, layer, ffn_in);
  show_all(TapPoint::kFfnOut, layer, ffn_out);
  show_all(TapPoint::kResidual, layer, xs);
}

void FaultyDecoder::write(int layer, const RowPlace& row, Cached cached) {
  const int position = row.position;
  if (here(Fault::kValueStale, layer, position)) cached.v = slot(layer, row.table, position - 1).v;
  slot(layer, row.table, position).v = std::move(cached.v);
  if (here(Fault::kKeyLost, layer, position)) return;
  slot(layer, row.table, here(Fault::kKeyMisplaced, layer, position) ? position + 1 : position).k = std::move(cached.k);
}

// What the query of a row gets from the cache.
Vector FaultyDecoder::read(int layer, const RowPlace& row, const Vector& q) {
  const int unseen = here(Fault::kMaskNarrow, layer, row.position) ? 1 : 0;
  const int too_many = here(Fault::kMaskWide, layer, row.position) ? 1 : 0;
  std::vector<std::int32_t> table(row.table, row.table + (row.position + too_many) / block_size_ + 1);
  if (here(Fault::kBlocksSwapped, layer, row.position)) table = {row.table[1], row.table[0]};
  if (here(Fault::kPageTaken, layer, row.position)) {
    for (int position = 0; position < block_size_; ++position) {
      for (double& value : slot(layer, row.table, position).v) value = -value;
    }
  }
  std::vector<Vector> keys, values;
  for (int position = 0; position <= row.position - unseen + too_many; ++position) {
    const Cached& cached = slot(layer, table.data(), position);
    keys.push_back(cached.k);
    values.push_back(cached.v);
  }
  Vector mixed(q.size());
  for (std::size_t head = 0; head < static_cast<std::size_t>(model_.spec().n_heads); ++head)
    attend(model_.spec(), head, q, keys, values, mixed);
  return mixed;
}

Vector FaultyDecoder::feed_forward(int layer, const Vector& x) const {
  Vector gate = multiply(model_.numbers(TensorRole::kGate, layer), x);
  const Vector up = multiply(model_.numbers(TensorRole::kUp, layer), x);
  for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = activate(model_.spec().activation, gate[i]) * up[i];
  return multiply(model_.numbers(TensorRole::kDown, layer), gate);
}

void FaultyDecoder::show_all(TapPoint point, int layer, std::span<const Vector> rows) {
  std::vector<std::int32_t> numbers(rows.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  show(point, layer, rows, numbers);
}

void FaultyDecoder::show(TapPoint point, int layer, std::span<const Vector> rows, std::span<const std::int32_t> row_numbers) {
  if (tap_ == nullptr || rows.empty()) return;
  std::vector<float> values;
  for (const Vector& row : rows)
    std::transform(row.begin(), row.end(), std::back_inserter(values), [](double v) { return static_cast<float>(v); });
  tap_->see({point, layer, row_numbers, values});
}

}  // namespace mie::test
