#include "bench/diff/report.h"

#include <fmt/format.h>

#include <limits>

namespace mie::diff {
namespace {

// What can be wrong when this is the first place that differs: all that went into it was equal.
std::string_view suspects(const Place& place) {
  if (place.stage == Stage::kInput) return "tokenisation: the sides read different tokens";
  if (place.stage == Stage::kNextToken) return "the choice of a token from equal logits";
  switch (place.tensor.point) {
    case TapPoint::kEmbed:
      return "the token that the row was given, or the embedding";
    case TapPoint::kAttnNorm:
    case TapPoint::kFfnNorm:
    case TapPoint::kFinalNorm:
      return "the norm or its weight";
    case TapPoint::kQ:
      return "the position that the row was given, the rotary embedding, or the projection";
    case TapPoint::kK:
      return "the rotary embedding of K, the projection, or the write to the cache";
    case TapPoint::kV:
      return "the projection, or the write to the cache";
    case TapPoint::kAttnOut:
      return "what attention reads: the mask, the block table, or a cached row that is stale or lost";
    case TapPoint::kResidualMid:
      return "the output projection";
    case TapPoint::kFfnOut:
      return "the feed-forward block";
    case TapPoint::kResidual:
      return "the sum at the end of the layer";
    case TapPoint::kLogits:
      return "the vocabulary projection";
  }
  return {};
}

// How near to its bound, 1 at the bound. Where no bit may differ, any difference is beyond every bound.
double nearness(const TensorDistance& tensor) {
  if (tensor.distance.relative == 0) return 0;
  return tensor.expected > 0 ? tensor.distance.relative / tensor.expected : std::numeric_limits<double>::infinity();
}

std::string shown(const std::optional<int>& position) { return position ? std::to_string(*position) : "-"; }

std::string line(const TensorDistance& tensor) {
  return fmt::format("{:<24} {:>10.3g} {:>10.3g} {:>10.3g} {:>10.3g} {:>9} {:>7}\n", name_of(tensor.id),
                     tensor.distance.max_abs, tensor.distance.rms, tensor.distance.relative, tensor.expected,
                     shown(tensor.first_different), shown(tensor.first_above));
}

// Several tensors as one: the largest figures, the positions of whichever came first, under the name of the nearest.
TensorDistance merged(TensorDistance layer, const TensorDistance& next) {
  const auto first = [](const std::optional<int>& a, const std::optional<int>& b) { return a && (!b || *a < *b) ? a : b; };
  const auto different = first(layer.first_different, next.first_different);
  const auto above = first(layer.first_above, next.first_above);
  const double max_abs = std::max(layer.distance.max_abs, next.distance.max_abs);
  const double rms = std::max(layer.distance.rms, next.distance.rms);
  if (nearness(next) > nearness(layer)) layer = next;
  layer.first_different = different;
  layer.first_above = above;
  layer.distance.max_abs = max_abs;
  layer.distance.rms = rms;
  return layer;
}

std::vector<TensorDistance> by_layer(const std::vector<TensorDistance>& tensors) {
  std::vector<TensorDistance> layers;
  for (const TensorDistance& tensor : tensors) {
    const bool continues = !layers.empty() && tensor.id.layer >= 0 && layers.back().id.layer == tensor.id.layer;
    if (continues)
      layers.back() = merged(layers.back(), tensor);
    else
      layers.push_back(tensor);
  }
  return layers;
}

std::string described(const Place& place, int n_prompt) {
  const std::string where =
      fmt::format("position {} ({})", place.position,
                  place.position < n_prompt ? std::string("prompt") : fmt::format("decode {}", place.position - n_prompt + 1));
  if (place.stage == Stage::kInput) return "the token read at " + where;
  if (place.stage == Stage::kNextToken) {
    return fmt::format("the token chosen after {}: its logit is {:.3g} away, {:.3g} expected", where, place.distance.max_abs,
                       place.expected);
  }
  return fmt::format("{}, {}: max |a-b| {:.3g}, RMS {:.3g}, relative {:.3g}, expected {:.3g}", name_of(place.tensor), where,
                     place.distance.max_abs, place.distance.rms, place.distance.relative, place.expected);
}

std::string verdict(const Record& a, const Record& b, const Comparison& comparison) {
  if (comparison.first_above) {
    return fmt::format("DIVERGES at {}\n                  look at: {}\n", described(*comparison.first_above, a.n_prompt),
                       suspects(*comparison.first_above));
  }
  if (a.failure.empty() != b.failure.empty()) return "DIVERGES: one side stopped and the other did not\n";
  return comparison.first_different ? "no difference beyond expectation\n" : "equal, bit for bit\n";
}

}  // namespace

bool diverged(const Record& a, const Record& b, const Comparison& comparison) {
  return comparison.first_above.has_value() || a.failure.empty() != b.failure.empty();
}

std::string as_text(const Record& a, const Record& b, const Comparison& comparison, Detail detail) {
  std::string out = fmt::format("a                 {}\nb                 {}\n", a.made_by, b.made_by);
  out += fmt::format("read              {} tokens, of which {} decoded one by one\n", comparison.n_positions,
                     std::max(0, comparison.n_positions - a.n_prompt));
  for (const auto& [name, side] : {std::pair("a", &a), std::pair("b", &b)}) {
    if (!side->failure.empty()) out += fmt::format("{} stopped         {}\n", name, side->failure);
  }
  out +=
      fmt::format("\n{:<24} {:>10} {:>10} {:>10} {:>10} {:>9} {:>7}\n", detail == Detail::kLayers ? "nearest to its bound" : "",
                  "max |a-b|", "RMS", "relative", "expected", "differs", "above");
  for (const TensorDistance& tensor : detail == Detail::kLayers ? by_layer(comparison.tensors) : comparison.tensors)
    out += line(tensor);
  if (!comparison.not_compared.empty()) {
    out += fmt::format("{} tensors not compared, the first is {}\n", comparison.not_compared.size(),
                       name_of(comparison.not_compared.front()));
  }
  out += '\n';
  if (comparison.first_different) out += "first difference  " + described(*comparison.first_different, a.n_prompt) + '\n';
  return out + "verdict           " + verdict(a, b, comparison);
}

}  // namespace mie::diff
