// How many drafts of a sequence it is worth to verify: half as many after a step that accepted none, one more after a step
// that accepted all. Of a live request; engine thread only.
#pragma once

#include <algorithm>

namespace mie {

class DraftLength {
 public:
  explicit DraftLength(int most) : most_(most), next_(most) {}

  [[nodiscard]] int next() const { return next_; }

  // A step verified `n` ≥ 1 drafts and accepted the first `n_accepted`.
  void verified(int n, int n_accepted) {
    if (n_accepted == 0) next_ = std::max(1, n / 2);
    if (n_accepted == n) next_ = std::min(most_, n + 1);
  }

 private:
  int most_, next_;
};

}  // namespace mie
