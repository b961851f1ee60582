// Where two records differ: every tensor's distance, and the first place, in the order of the playbook (tokens that went in,
// then position by position the tensors as they are computed, then the token that came out). Pure functions; any thread.
#pragma once

#include "bench/diff/record.h"
#include "core/base/error.h"

#include <optional>
#include <string>
#include <vector>

namespace mie::diff {

// Of one tensor, over one row or over all rows that both sides have. A number that is not finite on one side only is
// infinitely far.
struct Distance {
  double max_abs = 0;
  double rms = 0;       // of the differences
  double relative = 0;  // rms over that of side A's values; over several rows, of the worst
};

struct TensorDistance {
  TensorId id;
  Distance distance;
  double expected = 0;                                  // of `relative`
  std::optional<int> first_different{}, first_above{};  // positions
};

enum class Stage { kInput, kTensor, kNextToken };

struct Place {
  Stage stage = Stage::kTensor;
  int position = 0;
  TensorId tensor{};    // of kTensor
  Distance distance{};  // of that row
  double expected = 0;
};

struct Comparison {
  std::vector<TensorDistance> tensors;  // as computed
  int n_positions = 0;                  // that both sides read with the same tokens before
  std::vector<TensorId> not_compared;   // on one side only, or of unequal width
  std::optional<Place> first_different, first_above;
};

// The first place is that of the lowest position, and there of the first tensor: all that went into it was equal, so it is
// where the difference arose. Position by position also in a prefill, where a layer is computed for all positions at once: a
// position sees none after it.
// A token that came out differs beyond expectation unless the two tokens' logits lie closer than twice the largest distance
// of the rows' logits. Error kConfig: records of models that have no tensor of equal width in common.
[[nodiscard]] Result<Comparison> compare(const Record& a, const Record& b);

}  // namespace mie::diff
