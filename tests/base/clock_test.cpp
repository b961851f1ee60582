#include "core/base/clock.h"

#include <gtest/gtest.h>

#include <ctime>
#include <thread>
#include <vector>

namespace mie {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ManualClock, StandsStillUntilMoved) {
  ManualClock clock;
  const Clock::time_point start = clock.now();
  EXPECT_EQ(clock.now(), start);
  clock.advance(milliseconds(1500));
  EXPECT_EQ(clock.now() - start, milliseconds(1500));
}

TEST(ManualClock, WallClockFollowsInWholeSeconds) {
  ManualClock clock;
  const std::int64_t start = clock.unix_seconds();
  clock.advance(milliseconds(999));
  EXPECT_EQ(clock.unix_seconds(), start);
  clock.advance(milliseconds(1));
  EXPECT_EQ(clock.unix_seconds(), start + 1);
}

// A zero start would make "never" and "at once" look alike to code that keeps a default time_point.
TEST(ManualClock, StartsAfterTheEpoch) { EXPECT_GT(ManualClock().now(), Clock::time_point{}); }

TEST(ManualClock, NoAdvanceIsLostBetweenThreads) {
  ManualClock clock;
  const Clock::time_point start = clock.now();
  constexpr int kThreads = 4;
  constexpr int kSteps = 10'000;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&clock] {
        for (int step = 0; step < kSteps; ++step) clock.advance(Clock::duration(1));
      });
    }
  }
  EXPECT_EQ(clock.now() - start, Clock::duration(kThreads * kSteps));
}

TEST(SystemClock, IsMonotonicAndItsWallClockIsUnixTime) {
  const SystemClock clock;
  Clock::time_point last = clock.now();
  for (int i = 0; i < 10'000; ++i) {
    const Clock::time_point now = clock.now();
    ASSERT_GE(now, last);
    last = now;
  }
  const std::int64_t before = std::time(nullptr);
  const std::int64_t wall = clock.unix_seconds();
  EXPECT_LE(before, wall);
  EXPECT_LE(wall, std::time(nullptr));
}

}  // namespace
}  // namespace mie
