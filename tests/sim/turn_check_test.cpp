// Each thing that a turn must not do, done by hand.
#include "tests/sim/turn_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SequenceRecord waiting(std::uint64_t id, bool preempted = false) {
  return {.id = RequestId(id), .state = SeqState::kWaiting, .preempted = preempted, .n_prompt = 3, .n_total = 5};
}

SequenceRecord running(std::uint64_t id, int n_total = 5) {
  return {.id = RequestId(id), .state = SeqState::kRunning, .n_prompt = 3, .n_total = n_total};
}

EngineSnapshot lines(std::vector<SequenceRecord> run, std::vector<SequenceRecord> wait) {
  EngineSnapshot snapshot;
  snapshot.running = std::move(run);
  snapshot.waiting = std::move(wait);
  return snapshot;
}

Clock::time_point at(int ms) { return Clock::time_point(std::chrono::milliseconds(ms)); }

// Ranks are the ids, but for one that is given.
class World final : public WorldView {
 public:
  World(Claim claim, std::uint64_t id, bool held) : claim_(claim), id_(id), held_(held) {}
  [[nodiscard]] Claim claim_of(RequestId id) const override {
    return id == id_ ? claim_ : Claim{.rank = at(static_cast<int>(id.value()))};
  }
  [[nodiscard]] bool may_be_held(const SequenceRecord& waiting, const EngineSnapshot&) const override {
    return held_ && waiting.id == id_;
  }

 private:
  Claim claim_;
  RequestId id_;
  bool held_;
};

std::vector<std::string> broken(const EngineSnapshot& before, const EngineSnapshot& after, const Claim& claim = {},
                                std::uint64_t id = 0, bool held = false) {
  return broken_by_turn(before, after, World(claim, id, held));
}

TEST(TurnCheck, AllowsTheHeadOfTheLine) {
  EXPECT_THAT(broken(lines({running(1)}, {waiting(2), waiting(3)}), lines({running(1, 6), running(2)}, {waiting(3)})),
              IsEmpty());
}

TEST(TurnCheck, FindsWhoIsOvertaken) {
  EXPECT_THAT(broken(lines({}, {waiting(2), waiting(3)}), lines({running(3)}, {waiting(2)})),
              ElementsAre(HasSubstr("request 2 is overtaken by 3")));
  EXPECT_THAT(broken(lines({running(1)}, {waiting(3)}), lines({running(3)}, {waiting(1, true)})),
              ElementsAre(HasSubstr("request 1 is overtaken by 3")));
}

TEST(TurnCheck, LetsABetterRankGoFirst) {
  const EngineSnapshot before = lines({}, {waiting(2), waiting(3)});
  const EngineSnapshot after = lines({running(3)}, {waiting(2)});
  EXPECT_THAT(broken(before, after, {.rank = at(1)}, 3), IsEmpty());
  EXPECT_THAT(broken(before, after, {.rank = at(2)}, 3), ElementsAre(HasSubstr("request 2 is overtaken by 3")));  // equal
}

TEST(TurnCheck, LetsTheHeldBePassed) {
  const EngineSnapshot before = lines({}, {waiting(2), waiting(3)});
  const EngineSnapshot after = lines({running(3)}, {waiting(2)});
  EXPECT_THAT(broken(before, after, {.rank = at(2)}, 2, true), IsEmpty());
  EXPECT_THAT(broken(before, after, {.rank = at(3)}, 3, true), ElementsAre(HasSubstr("request 2 is overtaken by 3")));
}

TEST(TurnCheck, FindsWhatStaysTooLong) {
  EXPECT_THAT(broken(lines({running(1)}, {}), lines({running(1)}, {}), {.should_be_gone = true}, 1),
              ElementsAre(HasSubstr("request 1 is past its deadline")));
}

TEST(TurnCheck, FindsLostTokensAndForgottenLives) {
  EXPECT_THAT(broken(lines({running(1, 6)}, {}), lines({running(1, 5)}, {})), ElementsAre(HasSubstr("has lost tokens")));
  EXPECT_THAT(broken(lines({running(1)}, {}), lines({}, {waiting(1)})), ElementsAre(HasSubstr("as if it had never run")));
}

}  // namespace
}  // namespace mie::sim
