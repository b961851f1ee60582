#include "bench/kv/growth.h"

#include "bench/kv/capacity.h"
#include "core/base/ensure.h"
#include "kv/block_pool.h"
#include "kv/block_table.h"
#include "kv/page_layout.h"

#include <algorithm>
#include <deque>
#include <memory>

namespace mie::bench {
namespace {

// A request on its way. The token sampled last is not in the cache before the next step.
struct Growing {
  Growing(const GrowthRequest& request, BlockPool& pool, int block_size)
      : table(pool, block_size), n_total(request.n_prompt), n_final(request.n_prompt + request.n_output) {}

  BlockTable table;
  int n_total;  // prompt and sampled tokens
  int n_final;
  int n_computed = 0;
  int n_ever_computed = 0;
};

class Growth {
 public:
  Growth(std::span<const GrowthRequest> requests, const GrowthSetting& setting) : setting_(setting), pool_(setting.n_blocks) {
    for (const GrowthRequest& request : requests) {
      waiting_.push_back(std::make_unique<Growing>(request, pool_, setting.block_size));
    }
  }

  GrowthFigures run() {
    while (!waiting_.empty() || !running_.empty()) step();
    const auto n = static_cast<double>(std::max<std::int64_t>(1, figures_.n_steps));
    figures_.mean_running = static_cast<double>(figures_.n_sampled) / n;
    figures_.mean_utilisation /= n;
    figures_.mean_waste /= n;
    figures_.n_free_at_end = pool_.n_free();
    return figures_;
  }

 private:
  using Line = std::deque<std::unique_ptr<Growing>>;

  [[nodiscard]] bool take_blocks(Growing& seq) {
    const int n_tokens = setting_.reserve == Reserve::kWhole ? seq.n_final - 1 : seq.n_total;
    return seq.table.append(std::max(0, blocks_for(n_tokens, setting_.block_size) - seq.table.n_blocks()));
  }

  void preempt_last() {
    std::unique_ptr<Growing> seq = std::move(running_.back());
    running_.pop_back();
    seq->table.clear();
    seq->n_computed = 0;
    waiting_.push_front(std::move(seq));
    ++figures_.n_preemptions;
  }

  // Those that run take what they need, oldest first. True: somebody lost its blocks for it.
  bool keep_running() {
    const std::int64_t before = figures_.n_preemptions;
    for (std::size_t i = 0; i < running_.size(); ++i) {
      while (i < running_.size() && !take_blocks(*running_[i])) preempt_last();
    }
    return figures_.n_preemptions > before;
  }

  void admit() {
    while (!waiting_.empty() && take_blocks(*waiting_.front())) {
      running_.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
  }

  void compute(Growing& seq) {
    figures_.n_computed += seq.n_total - seq.n_computed;
    figures_.n_recomputed += std::max(0, seq.n_ever_computed - seq.n_computed);
    seq.n_computed = seq.n_total;
    seq.n_ever_computed = std::max(seq.n_ever_computed, seq.n_computed);
    ++seq.n_total;
    ++figures_.n_sampled;
  }

  void step() {
    if (!keep_running()) admit();
    ENSURE(!running_.empty(), "a request that does not fit the pool alone");
    std::int64_t n_cached = 0;
    for (const auto& seq : running_) {
      compute(*seq);
      n_cached += seq->n_computed;
    }
    const double reserved = static_cast<double>(pool_.n_used()) * setting_.block_size;
    figures_.mean_waste += 1 - static_cast<double>(n_cached) / reserved;
    figures_.mean_utilisation += static_cast<double>(pool_.n_used()) / static_cast<double>(pool_.n_blocks());
    figures_.most_running = std::max(figures_.most_running, static_cast<int>(running_.size()));
    ++figures_.n_steps;
    std::erase_if(running_, [](const std::unique_ptr<Growing>& seq) { return seq->n_total == seq->n_final; });
  }

  GrowthSetting setting_;
  BlockPool pool_;  // the tables of both lines draw on it
  Line waiting_, running_;
  GrowthFigures figures_;  // means are sums until the end
};

GrowthRow row_of(const LengthList& list, const GrowthSetting& setting) {
  const auto requests = halves_of(list.lengths);
  GrowthRow row{.list = list.name, .setting = setting, .figures = grow(requests, setting)};
  for (const GrowthRequest& request : requests) {
    row.expected_sampled += request.n_output;
    row.expected_first_computed += request.n_prompt + request.n_output - 1;
  }
  return row;
}

}  // namespace

std::vector<GrowthRequest> halves_of(std::span<const int> lengths) {
  std::vector<GrowthRequest> requests;
  for (const int length : lengths) requests.push_back({.n_prompt = length - length / 2, .n_output = length / 2});
  return requests;
}

GrowthFigures grow(std::span<const GrowthRequest> requests, const GrowthSetting& setting) {
  return Growth(requests, setting).run();
}

bool GrowthRow::conserves() const {
  return figures.n_sampled == expected_sampled && figures.n_computed - figures.n_recomputed == expected_first_computed &&
         figures.n_free_at_end == setting.n_blocks && (setting.reserve == Reserve::kGrowing || figures.n_preemptions == 0);
}

std::vector<GrowthRow> growth_rows(std::span<const LengthList> lists) {
  std::vector<GrowthRow> rows;
  for (const LengthList& list : lists) {
    for (const int block_size : {16, 32, kLongestSequence}) {
      for (const Reserve reserve : {Reserve::kWhole, Reserve::kGrowing}) {
        if (block_size == kLongestSequence && reserve == Reserve::kGrowing) continue;  // one block each either way
        const int n_blocks = kv_shape(block_size).blocks_in(kKvMemoryBytes);
        rows.push_back(row_of(list, {.block_size = block_size, .n_blocks = n_blocks, .reserve = reserve}));
      }
    }
  }
  return rows;
}

}  // namespace mie::bench
