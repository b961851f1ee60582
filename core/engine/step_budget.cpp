#include "core/engine/step_budget.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace mie {
namespace {

constexpr int kManyRows = 32;  // below it a step costs about the reading of the weights, whatever its rows
constexpr int kLeastForPrompts = 16;
constexpr int kMemory = 8;  // steps: each new measurement counts an eighth

}  // namespace

StepLimits StepBudget::limits(StepLimits most, std::span<const SeqView> seqs) const {
  if (wanted_ <= Clock::duration::zero() || row_time_ <= Clock::duration::zero()) return most;
  const auto decodes = [](const SeqView& seq) { return seq.running && seq.decodes(); };
  const auto n_decoding = std::count_if(seqs.begin(), seqs.end(), decodes);
  if (n_decoding == 0) return most;
  const std::int64_t fitting = std::max<std::int64_t>(wanted_ / row_time_, n_decoding + kLeastForPrompts);
  most.max_tokens = static_cast<int>(std::min<std::int64_t>(most.max_tokens, fitting));
  return most;
}

int StepBudget::rows_within(Clock::duration time) const {
  constexpr std::int64_t kAll = std::numeric_limits<int>::max();
  if (row_time_ <= Clock::duration::zero()) return kAll;
  return static_cast<int>(std::clamp<std::int64_t>(2 * (time / row_time_), 0, kAll));
}

void StepBudget::ran(int n_rows, Clock::duration time) {
  if (n_rows < kManyRows) return;
  const Clock::duration measured = time / n_rows;
  row_time_ = row_time_ <= Clock::duration::zero() ? measured : row_time_ + (measured - row_time_) / kMemory;
}

}  // namespace mie
