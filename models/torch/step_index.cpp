#include "models/torch/step_index.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <bit>
#include <map>

namespace mie {
namespace {

// Query rows of one prefill that attend at once: bounds the scores to n_heads * 256 * n_keys numbers.
constexpr int kRowsAtOnce = 256;

at::Tensor index_tensor(const std::vector<std::int64_t>& values) {
  return at::from_blob(const_cast<std::int64_t*>(values.data()), {static_cast<std::int64_t>(values.size())}, at::kLong).clone();
}

at::Tensor index_tensor(const std::vector<std::int32_t>& values) {
  return index_tensor(std::vector<std::int64_t>(values.begin(), values.end()));
}

// Rows [first, first + n_rows) of the batch belong to sequence `seq` and attend to keys 0 .. n_keys - 1.
struct Part {
  int seq = 0, first = 0, n_rows = 0, n_keys = 0;
};

class Indexer {
 public:
  Indexer(const StepBatch& batch, int block_size) : batch_(batch), block_size_(block_size) {}

  [[nodiscard]] std::int64_t slot(int seq, int position) const {
    const int column = position / block_size_;
    ENSURE(column < batch_.max_blocks, "a position past its block table");
    const std::int64_t entry = std::int64_t{seq} * batch_.max_blocks + column;
    const std::int64_t block = batch_.block_tables[static_cast<std::size_t>(entry)];
    ENSURE(block >= 0, "a position without a block");
    return block * block_size_ + position % block_size_;
  }

  // Decoding sequences of similar length, and prefills cut to kRowsAtOnce rows.
  [[nodiscard]] std::vector<std::vector<Part>> parts() const {
    std::map<unsigned, std::vector<Part>> decodes;
    std::vector<std::vector<Part>> parts;
    for (int seq = 0; seq < batch_.n_seqs(); ++seq) {
      const int end = batch_.row_starts[static_cast<std::size_t>(seq) + 1];
      int first = batch_.row_starts[static_cast<std::size_t>(seq)];
      const bool decodes_one = end - first == 1;
      for (; first < end; first += kRowsAtOnce) {
        const int n_rows = std::min(kRowsAtOnce, end - first);
        const int n_keys = batch_.positions[static_cast<std::size_t>(first + n_rows) - 1] + 1;
        const Part part{seq, first, n_rows, n_keys};
        if (decodes_one) {
          decodes[std::bit_ceil(static_cast<unsigned>(n_keys))].push_back(part);
        } else {
          parts.push_back({part});
        }
      }
    }
    for (auto& [length, group] : decodes) parts.push_back(std::move(group));
    return parts;
  }

  // REQUIRES: all parts have the same n_rows.
  [[nodiscard]] AttentionGroup group(const std::vector<Part>& parts) const {
    AttentionGroup group;
    group.n_seqs = static_cast<std::int64_t>(parts.size());
    group.n_rows = parts.front().n_rows;
    for (const Part& part : parts) group.n_keys = std::max<std::int64_t>(group.n_keys, part.n_keys);
    std::vector<std::int64_t> rows, positions, slots;
    slots.reserve(static_cast<std::size_t>(group.n_seqs * group.n_keys));
    for (const Part& part : parts) {
      for (int row = part.first; row < part.first + part.n_rows; ++row) {
        rows.push_back(row);
        positions.push_back(batch_.positions[static_cast<std::size_t>(row)]);
      }
      for (int key = 0; key < part.n_keys; ++key) slots.push_back(slot(part.seq, key));
      slots.resize(slots.size() + static_cast<std::size_t>(group.n_keys - part.n_keys), 0);
    }
    group.rows = index_tensor(rows);
    group.slots = index_tensor(slots);
    group.unseen = at::arange(group.n_keys, at::kLong) > index_tensor(positions).view({group.n_seqs, 1, group.n_rows, 1});
    return group;
  }

 private:
  const StepBatch& batch_;
  int block_size_;
};

}  // namespace

StepIndex index_step(const StepBatch& batch, int block_size) {
  const Indexer indexer(batch, block_size);
  std::vector<std::int64_t> slots;
  for (int seq = 0; seq < batch.n_seqs(); ++seq) {
    for (int row = batch.row_starts[static_cast<std::size_t>(seq)]; row < batch.row_starts[static_cast<std::size_t>(seq) + 1];
         ++row) {
      slots.push_back(indexer.slot(seq, batch.positions[static_cast<std::size_t>(row)]));
    }
  }
  StepIndex step{.tokens = index_tensor(batch.tokens),
                 .positions = index_tensor(batch.positions),
                 .slots = index_tensor(slots),
                 .logits_rows = index_tensor(batch.logits_rows),
                 .groups = {}};
  for (const auto& parts : indexer.parts()) step.groups.push_back(indexer.group(parts));
  return step;
}

}  // namespace mie
