// A probability law on the line: its distribution function, from both sides of a jump, and the inverse of it. Made once from a
// specification; pure functions on it, any thread.
#pragma once

#include "bench/workload/spec/length_spec.h"

#include <memory>
#include <vector>

namespace mie::bench {

class Law {
 public:
  virtual ~Law() = default;
  [[nodiscard]] virtual double below(double x) const = 0;     // P(X < x)
  [[nodiscard]] virtual double upto(double x) const = 0;      // P(X ≤ x)
  [[nodiscard]] virtual double quantile(double p) const = 0;  // REQUIRES: 0 < p < 1
};

// What values are of: lengths are whole, 1 … 1e9; times are real, 0 … 1e7.
enum class Domain : std::uint8_t { kTokens, kSeconds };

// REQUIRES: neither mixture nor trace, and a specification that `describe` accepts.
[[nodiscard]] std::unique_ptr<Law> make_law(const LengthSpec& spec, Domain domain);

// Finitely many values with weights that need not sum to 1.
[[nodiscard]] std::unique_ptr<Law> make_points_law(std::vector<double> values, std::vector<double> weights);

}  // namespace mie::bench
