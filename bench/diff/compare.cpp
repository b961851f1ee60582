#include "bench/diff/compare.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mie::diff {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sums of one or more rows.
struct Sums {
  double squares = 0, of_values = 0, max_abs = 0;
  std::size_t n = 0;

  void add(float a, float b) {
    ++n;
    of_values += double{a} * double{a};
    if (a == b || (std::isnan(a) && std::isnan(b))) return;
    const double difference = std::fabs(double{a} - double{b});
    const double counted = std::isfinite(difference) ? difference : kInfinity;
    squares += counted * counted;
    max_abs = std::max(max_abs, counted);
  }
  [[nodiscard]] double rms() const { return std::sqrt(squares / static_cast<double>(n)); }
  [[nodiscard]] double relative() const {
    if (squares == 0) return 0;
    return of_values > 0 && std::isfinite(of_values) ? std::sqrt(squares / of_values) : kInfinity;
  }
};

Sums sums_of(const Row& a, const Row& b) {
  Sums sums;
  for (std::size_t i = 0; i < a.size(); ++i) sums.add(a[i], b[i]);
  return sums;
}

const Row* row_at(const std::vector<Row>& rows, int position) {
  const auto at = static_cast<std::size_t>(position);
  return at < rows.size() && !rows[at].empty() ? &rows[at] : nullptr;
}

// The pairs of rows of two records, up to the position from which on they read other tokens.
class Comparer {
 public:
  Comparer(const Record& a, const Record& b) : a_(a), b_(b) {
    const auto last = std::min(a.tokens.size(), b.tokens.size());
    const auto equal = std::mismatch(a.tokens.begin(), a.tokens.begin() + static_cast<std::ptrdiff_t>(last), b.tokens.begin());
    result_.n_positions = static_cast<int>(equal.first - a.tokens.begin());
    for (const auto& [id, rows] : a.tensors) n_layers_ = std::max(n_layers_, id.layer + 1);
  }

  Comparison run() {
    for (const auto& [id, rows] : a_.tensors) {
      const auto other = b_.tensors.find(id);
      if (other == b_.tensors.end())
        result_.not_compared.push_back(id);
      else
        compare_tensor(id, rows, other->second);
    }
    for (const auto& [id, rows] : b_.tensors) {
      if (!a_.tensors.contains(id)) result_.not_compared.push_back(id);
    }
    for (int position = 0; position < result_.n_positions; ++position) compare_next(position);
    if (static_cast<std::size_t>(result_.n_positions) < std::min(a_.tokens.size(), b_.tokens.size())) {
      const Place other_token{.stage = Stage::kInput, .position = result_.n_positions, .distance = {.relative = kInfinity}};
      note(other_token, true);
    }
    return std::move(result_);
  }

 private:
  void compare_tensor(const TensorId& id, const std::vector<Row>& of_a, const std::vector<Row>& of_b) {
    TensorDistance tensor{.id = id, .distance = {}, .expected = expected_difference(a_.numerics, b_.numerics, id, n_layers_)};
    Sums all;
    for (int position = 0; position < result_.n_positions; ++position) {
      const Row *a = row_at(of_a, position), *b = row_at(of_b, position);
      if (a == nullptr || b == nullptr || a->size() != b->size()) continue;
      const Sums sums = sums_of(*a, *b);
      all.squares += sums.squares;
      all.n += sums.n;
      tensor.distance.max_abs = std::max(tensor.distance.max_abs, sums.max_abs);
      tensor.distance.relative = std::max(tensor.distance.relative, sums.relative());
      if (sums.squares == 0) continue;
      const Place place{.stage = Stage::kTensor,
                        .position = position,
                        .tensor = id,
                        .distance = {sums.max_abs, sums.rms(), sums.relative()},
                        .expected = tensor.expected};
      const bool above = sums.relative() > tensor.expected;
      if (!tensor.first_different) tensor.first_different = position;
      if (above && !tensor.first_above) tensor.first_above = position;
      note(place, above);
    }
    if (all.n == 0) return result_.not_compared.push_back(id);
    tensor.distance.rms = all.rms();
    result_.tensors.push_back(tensor);
  }

  void compare_next(int position) {
    const auto at = static_cast<std::size_t>(position);
    if (at >= a_.next.size() || at >= b_.next.size() || !a_.next[at] || !b_.next[at]) return;
    const TokenId of_a = *a_.next[at], of_b = *b_.next[at];
    if (of_a == of_b) return;
    const TensorId logits{.layer = -1, .point = TapPoint::kLogits};
    Place place{.stage = Stage::kNextToken, .position = position, .tensor = logits, .distance = {.relative = kInfinity}};
    const Row* row = a_.tensors.contains(logits) ? row_at(a_.tensors.at(logits), position) : nullptr;
    const Row* other = b_.tensors.contains(logits) ? row_at(b_.tensors.at(logits), position) : nullptr;
    if (row == nullptr || other == nullptr || row->size() != other->size()) return note(place, true);
    const double gap = std::fabs(double{row->at(static_cast<std::size_t>(of_a.value()))} -
                                 double{row->at(static_cast<std::size_t>(of_b.value()))});
    place.distance.max_abs = gap;
    place.expected = 2 * sums_of(*row, *other).max_abs;
    note(place, gap > place.expected);
  }

  static bool before(const Place& a, const std::optional<Place>& b) {
    if (!b) return true;
    if (a.position != b->position) return a.position < b->position;
    return a.stage != b->stage ? a.stage < b->stage : a.tensor < b->tensor;
  }
  void note(const Place& place, bool above) {
    if (before(place, result_.first_different)) result_.first_different = place;
    if (above && before(place, result_.first_above)) result_.first_above = place;
  }

  const Record &a_, &b_;
  int n_layers_ = 0;
  Comparison result_;
};

}  // namespace

Result<Comparison> compare(const Record& a, const Record& b) {
  Comparison result = Comparer(a, b).run();
  if (result.tensors.empty() && result.n_positions > 0) {
    return Error{Errc::kConfig, "the two sides have no tensor of equal width in common: are they of one model?", ""};
  }
  return result;
}

}  // namespace mie::diff
