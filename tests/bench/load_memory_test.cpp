// The client takes no memory while it drives a load. In a program that counts every malloc.
#include "bench/load/load_run.h"
#include "tests/bench/loads.h"
#include "tests/fakes/allocation_meter.h"

#include <gtest/gtest.h>

namespace mie::bench {
namespace {

using namespace test;
using mie::test::bytes_allocated_by_this_thread;

std::size_t bytes_of_a_drive(LoadSettings settings, std::vector<PlannedRequest> requests) {
  auto run = LoadRun::prepare(std::move(settings), std::move(requests));
  EXPECT_TRUE(run.has_value());
  const std::size_t before = bytes_allocated_by_this_thread();
  (*run)->drive();
  const std::size_t taken = bytes_allocated_by_this_thread() - before;
  for (const RequestRecord& record : (*run)->result().records) EXPECT_EQ(record.output_tokens, 5) << record.error;
  return taken;
}

TEST(LoadMemory, AnOpenLoopTakesNoneForItsRequests) {
  KnownAnswerServer server({.policy = paced(200us)});
  EXPECT_EQ(bytes_of_a_drive(settings_for(server), planned(16, 5, 500us)), 0U);
  EXPECT_EQ(bytes_of_a_drive(settings_for(server), planned(256, 5, 100us)), 0U);
}

TEST(LoadMemory, AClosedLoopTakesNoneForItsRequests) {
  KnownAnswerServer server({.policy = paced(100us)});
  LoadSettings settings = settings_for(server);
  settings.closed = ClosedLoop{.concurrency = 4};
  EXPECT_EQ(bytes_of_a_drive(settings, planned(200, 5)), 0U);
}

TEST(LoadMemory, CountingTokensAsTheyArriveTakesNone) {
  KnownAnswerServer server({.policy = paced(100us)});
  LoadSettings settings = settings_for(server);
  settings.closed = ClosedLoop{.concurrency = 2};
  auto requests = planned(50, 5);
  for (PlannedRequest& one : requests) one.cancel.after_tokens = 100;
  EXPECT_EQ(bytes_of_a_drive(settings, requests), 0U);
}

}  // namespace
}  // namespace mie::bench
