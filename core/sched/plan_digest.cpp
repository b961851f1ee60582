#include "core/sched/plan_digest.h"

namespace mie {
namespace {

class Digest {
 public:
  void add(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte, number >>= 8U) state_ = (state_ ^ (number & 0xFFU)) * 1099511628211U;
  }
  void add(int number) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(number))); }
  void add(const std::vector<RequestId>& ids) {
    add(static_cast<std::uint64_t>(ids.size()));
    for (const RequestId id : ids) add(id.value());
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 14695981039346656037U;
};

}  // namespace

std::uint64_t plan_digest(const StepPlan& plan) {
  Digest digest;
  digest.add(plan.evict);
  digest.add(plan.reject);
  digest.add(plan.late);
  digest.add(static_cast<std::uint64_t>(plan.run.size()));
  for (const Scheduled& scheduled : plan.run) {
    digest.add(scheduled.id.value());
    for (const int number : {scheduled.first_position, scheduled.n_tokens, scheduled.n_new_blocks,
                             static_cast<int>(scheduled.samples), scheduled.n_drafts})
      digest.add(number);
  }
  return digest.value();
}

}  // namespace mie
