#include "bench/micro/steps.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace mie::bench {
namespace {

constexpr int kToken = 1;

std::size_t n_of(int value) { return static_cast<std::size_t>(value); }

}  // namespace

SequenceSet SequenceSet::make(int n_seqs, int n_tokens, int block_size) {
  SequenceSet set{n_seqs, block_size, (n_tokens + block_size - 1) / block_size};
  set.blocks.resize(n_of(n_seqs) * n_of(set.n_blocks));
  std::iota(set.blocks.begin(), set.blocks.end(), 0);
  std::mt19937_64 rng(11);
  std::ranges::shuffle(set.blocks, rng);
  return set;
}

StepBatch step_of(const SequenceSet& set, int first, int n_tokens, bool sampled) {
  StepBatch batch;
  batch.max_blocks = set.n_blocks;
  batch.block_tables = set.blocks;
  batch.row_starts = {0};
  for (int seq = 0; seq < set.n_seqs; ++seq) {
    for (int i = 0; i < n_tokens; ++i) {
      batch.tokens.push_back(kToken);
      batch.positions.push_back(first + i);
    }
    batch.row_starts.push_back(batch.n_tokens());
    if (sampled) batch.logits_rows.push_back(batch.n_tokens() - 1);
  }
  return batch;
}

// Every page as a sequence of its own: what is in it does not matter, and no attention has to be computed over the others.
void fill_pages(ModelRunner& runner, const SequenceSet& set, int max_rows) {
  const int per_step = std::max(1, max_rows / set.block_size), n_rows = std::min(set.block_size, max_rows);
  for (std::size_t at = 0; at < set.blocks.size(); at += n_of(per_step)) {
    SequenceSet pages{.n_seqs = static_cast<int>(std::min(n_of(per_step), set.blocks.size() - at)),
                      .block_size = set.block_size,
                      .n_blocks = 1};
    pages.blocks.assign(set.blocks.begin() + static_cast<std::ptrdiff_t>(at),
                        set.blocks.begin() + static_cast<std::ptrdiff_t>(at) + pages.n_seqs);
    runner.run(step_of(pages, 0, n_rows, false), {}, {});
  }
}

std::vector<SamplingRow> greedy_rows(const StepBatch& batch) {
  SamplingRow greedy;
  greedy.temperature = 0;
  return std::vector<SamplingRow>(batch.logits_rows.size(), greedy);
}

}  // namespace mie::bench
