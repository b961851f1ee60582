// What a specification becomes for the load client and for a server of our own.
#include "bench/run/load_of_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace mie::bench {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

TEST(LoadOfSpec, TheSpecificationsSettingsAreTheClients) {
  WorkloadSpec spec;
  spec.arrival.law = ArrivalLaw::kClosed;
  spec.arrival.concurrency = 8;
  spec.requests.duration_s = 30;
  spec.clients.timeout_ms = 2000;
  spec.clients.deadline_ms = 1500;
  spec.clients.keepalive = false;
  spec.sampling.temperature = 0.7;
  const LoadSettings settings = load_settings(spec, "http://127.0.0.1:8000", {.model = "served", .is_mie = true}, {{"A", "b"}});
  EXPECT_EQ(settings.model, "served");
  ASSERT_TRUE(settings.closed);
  EXPECT_EQ(settings.closed->concurrency, 8);
  EXPECT_EQ(settings.send_for, 30s);
  EXPECT_EQ(settings.timeout, 2000ms);
  EXPECT_EQ(settings.deadline, 1500ms);
  EXPECT_FALSE(settings.keepalive);
  EXPECT_EQ(settings.sampling.temperature, 0.7);
  EXPECT_TRUE(settings.stream.token_ids) << "our server tells them";
  EXPECT_THAT(settings.headers, ElementsAre(Pair("A", "b")));
}

TEST(LoadOfSpec, AnOpenLoopHasNoSlotsAndAModelOfItsOwnWins) {
  WorkloadSpec spec;
  spec.arrival.law = ArrivalLaw::kPoisson;
  spec.target.model = "wanted";
  const LoadSettings settings = load_settings(spec, "http://h", {.model = "served"}, {});
  EXPECT_FALSE(settings.closed);
  EXPECT_EQ(settings.model, "wanted");
  EXPECT_FALSE(settings.stream.token_ids);
  const LoadSettings warmup = one_by_one(settings);
  ASSERT_TRUE(warmup.closed);
  EXPECT_EQ(warmup.closed->concurrency, 1);
}

TEST(LoadOfSpec, FlagsOfAnArmAreThoseOfTheServer) {
  ArmSpec arm{.name = "a", .server = {}};
  arm.server["block_size"].held = std::int64_t{16};
  arm.server["prefix_caching"].held = false;
  arm.server["paranoid"].held = true;
  arm.server["sched"].held = std::string("static");
  arm.server["step_time"].held = 0.5;
  EXPECT_THAT(server_flags(arm), ElementsAre("--block-size", "16", "--paranoid", "--no-prefix-caching", "--sched", "static",
                                             "--step-time", "0.5"));
}

TEST(LoadOfSpec, TheKeyComesFromItsVariable) {
  TargetSpec target;
  target.api_key_env = "MIE_BENCH_TEST_KEY";
  target.headers["X-A"] = "1";
  ::unsetenv("MIE_BENCH_TEST_KEY");
  EXPECT_EQ(header_fields(target).error().message, "target.api_key_env: MIE_BENCH_TEST_KEY is not set");
  ::setenv("MIE_BENCH_TEST_KEY", "secret", 1);
  EXPECT_THAT(header_fields(target).value(), Contains(Pair("Authorization", "Bearer secret")));
}

}  // namespace
}  // namespace mie::bench
