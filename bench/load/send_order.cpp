#include "bench/load/send_order.h"

#include <algorithm>
#include <map>
#include <utility>

namespace mie::bench {

SendOrder::SendOrder(std::span<const PlannedRequest> requests, const std::optional<ClosedLoop>& closed)
    : requests_(requests), closed_(closed), next_turn_(requests.size(), -1) {
  std::map<std::pair<int, int>, int> turns;  // (session, turn)
  for (int i = 0; i < std::ssize(requests); ++i)
    if (at(i).turn > 0) turns.emplace(std::pair(at(i).session, at(i).turn), i);
  std::vector<bool> follows(requests.size());
  for (int i = 0; i < std::ssize(requests); ++i) {
    const auto next = turns.find({at(i).session, at(i).turn + 1});
    if (next == turns.end() || follows[static_cast<std::size_t>(next->second)]) continue;
    next_turn_[static_cast<std::size_t>(i)] = next->second;
    follows[static_cast<std::size_t>(next->second)] = true;
  }
  for (int i = 0; i < std::ssize(requests); ++i)
    if (!follows[static_cast<std::size_t>(i)]) heads_.push_back(i);
}

std::vector<Due> SendOrder::first() {
  std::vector<Due> out;
  if (!closed_) {
    for (const int head : heads_) out.push_back({head, at(head).intended.value_or(std::chrono::nanoseconds(0)).count()});
    return out;
  }
  for (int slot = 0; slot < closed_->concurrency; ++slot) {
    const auto head = next_head();
    if (!head) break;
    out.push_back({*head, at(*head).think.count()});
  }
  return out;
}

std::optional<Due> SendOrder::after(int request, std::int64_t end_ns) {
  std::optional<int> next;
  if (const int turn = next_turn_[static_cast<std::size_t>(request)]; turn >= 0) next = turn;
  if (!next && closed_) next = next_head();
  if (!next) return {};
  const PlannedRequest& planned = at(*next);
  return Due{*next, std::max<std::int64_t>(end_ns + planned.think.count(),
                                           planned.intended.value_or(std::chrono::nanoseconds(0)).count())};
}

std::optional<int> SendOrder::next_head() {
  if (n_taken_ == heads_.size()) return {};
  return heads_[n_taken_++];
}

}  // namespace mie::bench
