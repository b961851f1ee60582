// A load in rounds: every request once, at its own time less that of its round.
#include "bench/run/precise_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::bench {
namespace {

using ::testing::ElementsAre;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

// Of 10 s in rounds of 2, after 1 s of warm-up.
WorkloadSpec precise(ArrivalLaw law) {
  WorkloadSpec spec;
  spec.arrival.law = law;
  spec.warmup.seconds = 1;
  spec.requests.precision = PrecisionSpec{.max_s = 10};
  return spec;
}

std::vector<PlannedRequest> planned(const std::vector<std::chrono::milliseconds>& times) {
  std::vector<PlannedRequest> all;
  all.reserve(times.size());
  for (const auto at : times) {
    all.emplace_back();
    all.back().index = static_cast<int>(all.size()) + 1;  // 0 and 1 were sent one by one before
    all.back().intended = at;
  }
  return all;
}

TEST(PreciseLoad, ARoundOfAnOpenLoopIsItsPartOfTheTime) {
  const auto load = planned({0ms, 2999ms, 3000ms, 4999ms, 5000ms, 10999ms});
  const WorkloadSpec spec = precise(ArrivalLaw::kPoisson);
  const Round first = round_of(spec, {}, load, 0, 0), second = round_of(spec, {}, load, 1, 2),
              last = round_of(spec, {}, load, 4, 5);
  EXPECT_EQ(first.settings.send_for, 3s) << "the warm-up is before its part";
  EXPECT_EQ(second.settings.send_for, 2s);
  const auto times = [](const Round& round) {
    std::vector<std::pair<int, std::chrono::nanoseconds>> found;
    for (const PlannedRequest& request : round.requests) found.emplace_back(request.index, *request.intended);
    return found;
  };
  EXPECT_THAT(times(first), ElementsAre(std::pair(2, 0ms), std::pair(3, 2999ms)));
  EXPECT_THAT(times(second), ElementsAre(std::pair(4, 0ms), std::pair(5, 1999ms)));
  EXPECT_THAT(times(last), ElementsAre(std::pair(7, 1999ms)));
}

TEST(PreciseLoad, ARoundOfAClosedLoopGoesOnWhereTheLastEnded) {
  auto load = planned({0ms, 0ms, 0ms});
  for (PlannedRequest& request : load) request.intended.reset();
  LoadSettings whole;
  whole.warmup = 1s;
  const WorkloadSpec spec = precise(ArrivalLaw::kClosed);
  const Round first = round_of(spec, whole, load, 0, 0), second = round_of(spec, whole, load, 1, 2);
  EXPECT_EQ(first.requests.size(), 3U);
  EXPECT_EQ(first.settings.warmup, 1s);
  ASSERT_EQ(second.requests.size(), 1U);
  EXPECT_EQ(second.requests.front().index, 4);
  EXPECT_FALSE(second.settings.warmup) << "it is warm";
  EXPECT_TRUE(round_of(spec, whole, load, 2, 3).requests.empty());
}

}  // namespace
}  // namespace mie::bench
