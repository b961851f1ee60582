#include "bench/diff/record.h"

#include "core/base/ensure.h"

namespace mie::diff {

std::string name_of(const TensorId& id) {
  const std::string name(tap_name(id.point));
  return id.layer < 0 ? name : "layer " + std::to_string(id.layer) + " " + name;
}

void Recorder::see(const TappedRows& tapped) {
  if (position_of_row_.empty()) return;
  const std::size_t width = tapped.values.size() / tapped.rows.size();
  ENSURE(width * tapped.rows.size() == tapped.values.size(), "a tap shows whole rows");
  std::vector<Row>& seen = tensors_[{tapped.layer, tapped.point}];
  for (std::size_t i = 0; i < tapped.rows.size(); ++i) {
    const int position = position_of_row_.at(static_cast<std::size_t>(tapped.rows[i]));
    if (position < 0) continue;
    const auto at = static_cast<std::size_t>(position);
    if (seen.size() <= at) seen.resize(at + 1);
    const auto values = tapped.values.subspan(i * width, width);
    seen[at].assign(values.begin(), values.end());
  }
}

}  // namespace mie::diff
