// A distribution of a specification: of lengths in tokens, of turns, of seconds. Values; any thread.
#pragma once

#include "bench/workload/document/fields.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mie::bench {

enum class LengthLaw : std::uint8_t {
  kFixed,
  kUniform,
  kEmpirical,
  kNormal,
  kLognormal,
  kGamma,
  kZipf,
  kHistogram,
  kMixture,
  kTrace
};
enum class TraceColumn : std::uint8_t { kPromptTokens, kOutputTokens };

struct MixturePart;

// Which members count is the law's matter; the others are not keys of its table.
struct LengthSpec {
  LengthLaw law = LengthLaw::kFixed;
  double value = 0;                                   // fixed
  std::vector<double> values, weights;                // empirical; no weights: equal ones
  std::optional<double> mean, cv, median, sigma, sd;  // normal, lognormal, gamma
  double s = 0;                                       // zipf: rank k weighs k^-s
  int n = 0;                                          // zipf: ranks 1 … n
  std::vector<double> edges, counts;                  // histogram: counts[i] between edges[i] and edges[i + 1]
  std::vector<MixturePart> parts;
  TraceColumn column = TraceColumn::kPromptTokens;
  std::optional<double> min, max;  // both included; of uniform the law itself, of others a truncation

  void describe(Fields& fields);

  [[nodiscard]] static LengthSpec of_trace(TraceColumn column);
};

struct MixturePart {
  double weight = 1;
  LengthSpec law;

  void describe(Fields& fields);
};

}  // namespace mie::bench
