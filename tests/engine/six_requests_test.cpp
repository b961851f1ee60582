#include "bench/steps/six_requests.h"

#include "models/fake_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::bench {
namespace {

TEST(SixRequests, TakeTheStepsOfThePublishedTables) {
  FakeRunner runner({.n_vocab = 1000}, kSixBlocks, kSixBlockSize);
  EXPECT_THAT(wrong_six_request_counts(runner, 1000, {false, true}), ::testing::IsEmpty());
}

}  // namespace
}  // namespace mie::bench
