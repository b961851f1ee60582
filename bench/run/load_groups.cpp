#include "bench/run/load_groups.h"

namespace mie::bench {

std::vector<std::vector<Place>> groups_of(const RepetitionsSpec& spec, int n_arms) {
  std::vector<std::vector<Place>> groups;
  if (spec.order == RepetitionOrder::kBlocked) {
    const int n = n_arms * spec.n;
    groups.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) groups.push_back({{.arm = i / spec.n, .repetition = i % spec.n}});
    return groups;
  }
  groups.resize(static_cast<std::size_t>(spec.n));
  for (int repetition = 0; repetition < spec.n; ++repetition) {
    for (int arm = 0; arm < n_arms; ++arm)
      groups[static_cast<std::size_t>(repetition)].push_back(
          {.arm = repetition % 2 == 1 ? n_arms - 1 - arm : arm, .repetition = repetition});
  }
  return groups;
}

}  // namespace mie::bench
