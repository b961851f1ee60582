#include "tests/sim/strands.h"

#include <algorithm>
#include <cstddef>

namespace mie::sim {
namespace {

constexpr int kLookPercent = 25;  // a look at the timers is a system call

}  // namespace

int Strands::add() {
  strands_.emplace_back();
  return static_cast<int>(strands_.size()) - 1;
}

net::any_io_executor Strands::executor(int strand) { return SimExecutor(*this, strand); }

void Strands::freeze(int strand, int until_turn) { strands_.at(static_cast<std::size_t>(strand)).frozen_until = until_turn; }

void Strands::push(int strand, std::unique_ptr<Task> task) {
  auto& ready = strands_.at(static_cast<std::size_t>(strand)).ready;
  if (ready.empty()) busy_.push_back(strand);
  ready.push_back(std::move(task));
}

bool Strands::run_one(SimRandom& random, int turn) {
  if (busy_.empty() || random.chance(kLookPercent)) context_.poll();
  int strand = pick(random, turn);
  if (strand < 0) {
    context_.poll();
    strand = pick(random, turn);
  }
  if (strand < 0) return false;
  auto& ready = strands_[static_cast<std::size_t>(strand)].ready;
  const auto task = std::move(ready.front());
  ready.pop_front();
  if (ready.empty()) std::erase(busy_, strand);
  task->run();
  return true;
}

// -1: none.
int Strands::pick(SimRandom& random, int turn) const {
  const auto awake = [&](int strand) { return strands_[static_cast<std::size_t>(strand)].frozen_until <= turn; };
  const auto n_awake = std::count_if(busy_.begin(), busy_.end(), awake);
  if (n_awake == 0) return -1;
  int n_before = random.between(0, static_cast<int>(n_awake) - 1);
  return *std::find_if(busy_.begin(), busy_.end(), [&](int strand) { return awake(strand) && n_before-- == 0; });
}

std::optional<int> Strands::next_thaw() const {
  std::optional<int> first;
  for (const int strand : busy_) {
    const int turn = strands_[static_cast<std::size_t>(strand)].frozen_until;
    first = std::min(first.value_or(turn), turn);
  }
  return first;
}

}  // namespace mie::sim
