#include "tests/sim/turn_check.h"

#include <algorithm>

namespace mie::sim {
namespace {

const SequenceRecord* find(const std::vector<SequenceRecord>& line, RequestId id) {
  const auto found = std::find_if(line.begin(), line.end(), [&](const SequenceRecord& seq) { return seq.id == id; });
  return found == line.end() ? nullptr : &*found;
}

const SequenceRecord* find(const EngineSnapshot& snapshot, RequestId id) {
  const SequenceRecord* running = find(snapshot.running, id);
  return running != nullptr ? running : find(snapshot.waiting, id);
}

std::string named(RequestId id, const char* what) { return "request " + std::to_string(id.value()) + " " + what; }

class TurnCheck {
 public:
  TurnCheck(const EngineSnapshot& before, const EngineSnapshot& after, const WorldView& world)
      : before_(before), after_(after), world_(world) {}

  std::vector<std::string> run() {
    for (const SequenceRecord& seq : after_.running) check_sequence(seq);
    for (const SequenceRecord& seq : after_.waiting) check_sequence(seq);
    for (const SequenceRecord& seq : after_.running) {
      if (find(before_.running, seq.id) == nullptr) check_entry(seq);
    }
    return std::move(broken_);
  }

 private:
  void check_sequence(const SequenceRecord& seq) {
    if (world_.claim_of(seq.id).should_be_gone)
      broken_.push_back(named(seq.id, "is past its deadline or release and still there"));
    const SequenceRecord* old = find(before_, seq.id);
    if (old == nullptr) return;
    if (seq.n_total < old->n_total || seq.n_prompt != old->n_prompt) broken_.push_back(named(seq.id, "has lost tokens"));
    const bool was_admitted = old->state == SeqState::kRunning || old->preempted;
    if (was_admitted && seq.state == SeqState::kWaiting && !seq.preempted)
      broken_.push_back(named(seq.id, "waits as if it had never run"));
  }

  // Whoever stands before it and still waits is overtaken, unless held.
  void check_entry(const SequenceRecord& entered) {
    const Claim claim = world_.claim_of(entered.id);
    for (const SequenceRecord& left : after_.waiting) {
      const Claim other = world_.claim_of(left.id);
      const bool stands_before = other.rank != claim.rank ? other.rank < claim.rank : left.id < entered.id;
      if (stands_before && !world_.may_be_held(left, before_))
        broken_.push_back(named(left.id, "is overtaken by ") + std::to_string(entered.id.value()));
    }
  }

  const EngineSnapshot& before_;
  const EngineSnapshot& after_;
  const WorldView& world_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> broken_by_turn(const EngineSnapshot& before, const EngineSnapshot& after, const WorldView& world) {
  return TurnCheck(before, after, world).run();
}

}  // namespace mie::sim
