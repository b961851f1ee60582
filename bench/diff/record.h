// Everything that one side of a comparison computed for one sequence: each tensor of each layer at each position, and the
// tokens that went in and came out. A value; whoever drives the runner owns the recorder, on the runner's thread.
#pragma once

#include "bench/diff/numerics.h"
#include "core/base/id.h"
#include "models/layer_tap.h"

#include <compare>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mie::diff {

// Which tensor; ordered as a forward pass computes them.
struct TensorId {
  int layer = -1;  // -1: not of a layer
  TapPoint point = TapPoint::kEmbed;

  [[nodiscard]] int depth() const { return point >= TapPoint::kFinalNorm ? std::numeric_limits<int>::max() : layer; }
  friend bool operator==(const TensorId&, const TensorId&) = default;
  friend std::strong_ordering operator<=>(const TensorId& a, const TensorId& b) {
    const auto by_layer = a.depth() <=> b.depth();
    return by_layer != 0 ? by_layer : a.point <=> b.point;
  }
};

[[nodiscard]] std::string name_of(const TensorId& id);  // "layer 3 attn_out", "logits"

using Row = std::vector<float>;  // of one tensor at one position; empty: never seen

struct Record {
  std::string made_by;  // for people: "native w4a8 amx, KV bf16"
  Numerics numerics;
  std::vector<TokenId> tokens{};                   // by position, as the sequence has them
  int n_prompt = 0;                                // tokens of the prompt; those after it were decoded one by one
  std::vector<std::optional<TokenId>> next{};      // the token chosen after each position, where one was
  std::map<TensorId, std::vector<Row>> tensors{};  // by position
  std::string failure{};                           // why the runner stopped before the end; empty: it did not
};

// Sorts what a tap sees into a record, by the place in the sequence that each row was meant to have, whatever position the
// runner was told.
class Recorder final : public LayerTap {
 public:
  // The next steps' rows are for these positions; -1: a row that nobody looks at. Empty: no row is looked at.
  void watch(std::vector<int> position_of_row) { position_of_row_ = std::move(position_of_row); }
  void see(const TappedRows& tapped) override;
  [[nodiscard]] std::map<TensorId, std::vector<Row>> take() { return std::exchange(tensors_, {}); }

 private:
  std::vector<int> position_of_row_;
  std::map<TensorId, std::vector<Row>> tensors_;
};

}  // namespace mie::diff
