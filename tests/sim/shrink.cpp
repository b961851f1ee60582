#include "tests/sim/shrink.h"

#include "tests/sim/world.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace mie::sim {
namespace {

template <class Part>
std::vector<int> numbers_of(const std::vector<Part>& parts) {
  std::vector<int> numbers;
  for (const Part& part : parts) numbers.push_back(part.number);
  return numbers;
}

class Shrinker {
 public:
  Shrinker(KeptCase kept, PlantedBug planted, int n_lives) : best_(std::move(kept)), planted_(planted), n_left_(n_lives) {
    const Scenario scenario = scenario_of(best_);
    best_.clients = numbers_of(scenario.clients);
    best_.faults = numbers_of(scenario.faults);
  }

  KeptCase run() {
    cut_turns();
    for (std::size_t before = 0; before != size() && n_left_ > 0;) {
      before = size();
      thin_out(&KeptCase::clients);
      thin_out(&KeptCase::faults);
    }
    cut_turns();
    return best_;
  }

 private:
  [[nodiscard]] std::size_t size() const { return best_.clients->size() + best_.faults->size() + 1; }

  bool take_if_broken(const KeptCase& smaller) {
    if (n_left_-- <= 0) return false;
    const bool broken = !live(scenario_of(smaller), planted_).broken.empty();
    if (broken) best_ = smaller;
    return broken;
  }

  // Nothing that is scripted for later than the turn in which it broke can have mattered; often less does.
  void cut_turns() {
    for (int n = live(scenario_of(best_), planted_).last_turn; n > 0; n = n * 3 / 4) {
      KeptCase smaller = best_;
      smaller.n_turns = n;
      if (!take_if_broken(smaller)) break;
    }
  }

  // Leaves out halves, then quarters, down to single ones.
  void thin_out(std::optional<std::vector<int>> KeptCase::* part) {
    for (std::size_t n = std::max<std::size_t>(1, (best_.*part)->size() / 2); n > 0; n /= 2) {
      for (std::size_t first = 0; first < (best_.*part)->size();) {
        KeptCase smaller = best_;
        auto& numbers = *(smaller.*part);
        const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first);
        numbers.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(n, numbers.size() - first)));
        if (!take_if_broken(smaller)) first += n;
      }
    }
  }

  KeptCase best_;
  PlantedBug planted_;
  int n_left_;
};

}  // namespace

KeptCase shrink(KeptCase kept, PlantedBug planted, int n_lives) { return Shrinker(std::move(kept), planted, n_lives).run(); }

}  // namespace mie::sim
