// A law ready to be drawn from: cut to [min, max] through the conditional inverse of its distribution function,
// so that one uniform number makes one value and a larger one makes no smaller value. Immutable; any thread.
#pragma once

#include "bench/workload/draw/law.h"

#include <memory>

namespace mie::bench {

class DrawnLaw {
 public:
  // Errors: kConfig, a text without a path: [min, max] holds less than 1 % of the law; a trace, which is not drawn.
  static Result<DrawnLaw> make(const LengthSpec& spec, Domain domain);

  [[nodiscard]] double at(double u) const;   // REQUIRES: 0 < u < 1
  [[nodiscard]] int length(double u) const;  // the same, rounded to the nearest whole number within [min, max]

  [[nodiscard]] const Law& law() const { return *law_; }

 private:
  DrawnLaw(std::shared_ptr<const Law> law, double min, double max);

  std::shared_ptr<const Law> law_;  // shared by copies
  double min_, max_;
  double lowest_;  // P(X < min)
  double mass_;    // P(min ≤ X ≤ max)
};

}  // namespace mie::bench
