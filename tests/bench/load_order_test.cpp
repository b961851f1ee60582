// Which request is due when, in instants worked out by hand.
#include "bench/load/send_order.h"
#include "bench/load/timers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::bench {

bool operator==(const Due& a, const Due& b) { return a.request == b.request && a.at_ns == b.at_ns; }

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Optional;

std::vector<PlannedRequest> at(std::vector<std::chrono::nanoseconds> times) {
  std::vector<PlannedRequest> out;
  for (const auto time : times) {
    PlannedRequest& one = out.emplace_back();
    one.index = one.session = static_cast<int>(out.size()) - 1;
    one.intended = time;
  }
  return out;
}

// Two sessions of three turns, the turns in between 5 ns of thought.
std::vector<PlannedRequest> sessions() {
  auto out = at({0ns, 10ns, 0ns, 0ns, 0ns, 500ns});
  for (int i = 0; i < 6; ++i) {
    PlannedRequest& one = out[static_cast<std::size_t>(i)];
    one.session = i % 2;
    one.turn = i / 2;
    one.think = 5ns;
    if (i >= 2 && i < 5) one.intended.reset();
  }
  return out;
}

TEST(SendOrder, AnOpenLoopWaitsForNobody) {
  const auto requests = at({0ns, 10ns, 10ns, 30ns});
  SendOrder order(requests, {});
  EXPECT_THAT(order.first(), ElementsAre(Due{0, 0}, Due{1, 10}, Due{2, 10}, Due{3, 30}));
  EXPECT_EQ(order.after(0, 1000), std::nullopt);
}

TEST(SendOrder, ATurnIsDueAfterTheOneBeforeItAndItsThought) {
  const auto requests = sessions();
  SendOrder order(requests, {});
  EXPECT_THAT(order.first(), ElementsAre(Due{0, 0}, Due{1, 10}));
  EXPECT_THAT(order.after(0, 100), Optional(Due{2, 105}));
  EXPECT_THAT(order.after(2, 200), Optional(Due{4, 205}));
  EXPECT_EQ(order.after(4, 300), std::nullopt);
  EXPECT_THAT(order.after(3, 100), Optional(Due{5, 500}));  // not before its intended time
}

TEST(SendOrder, ATurnWithoutAPredecessorFollowsNone) {
  auto requests = at({7ns, 9ns});
  requests[1].turn = 3;
  SendOrder order(requests, {});
  EXPECT_THAT(order.first(), ElementsAre(Due{0, 7}, Due{1, 9}));
}

TEST(SendOrder, AClosedLoopSendsAsManyAsItHasSlotsAndOneForEachEnd) {
  auto requests = at({0ns, 0ns, 0ns, 0ns});
  for (PlannedRequest& one : requests) {
    one.intended.reset();
    one.think = 3ns;
  }
  requests[1].think = 5ns;
  SendOrder order(requests, ClosedLoop{.concurrency = 2});
  EXPECT_THAT(order.first(), ElementsAre(Due{0, 3}, Due{1, 5}));  // from the start of the load
  EXPECT_THAT(order.after(1, 50), Optional(Due{2, 53}));
  EXPECT_THAT(order.after(0, 60), Optional(Due{3, 63}));
  EXPECT_EQ(order.after(2, 70), std::nullopt);
}

TEST(SendOrder, AClosedLoopEndsASessionBeforeItsSlotTakesTheNext) {
  auto requests = sessions();
  for (PlannedRequest& one : requests) one.intended.reset();
  SendOrder order(requests, ClosedLoop{});
  EXPECT_THAT(order.first(), ElementsAre(Due{0, 5}));
  EXPECT_THAT(order.after(0, 10), Optional(Due{2, 15}));
  EXPECT_THAT(order.after(2, 20), Optional(Due{4, 25}));
  EXPECT_THAT(order.after(4, 30), Optional(Due{1, 35}));
}

TEST(Timers, GiveTheEarliestAndOfEqualOnesTheFirst) {
  Timers<char> timers(4);
  EXPECT_EQ(timers.next_ns(), Timers<char>::kNever);
  timers.add(20, 'c');
  timers.add(10, 'a');
  timers.add(20, 'd');
  timers.add(10, 'b');
  std::string taken;
  while (!timers.empty()) taken += timers.take().what;
  EXPECT_EQ(taken, "abcd");
}

}  // namespace
}  // namespace mie::bench
