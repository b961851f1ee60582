// Where a request's time went: stamps of the client around those of the server, on one clock. Figures by hand.
#include "bench/metrics/phases.h"

#include "bench/load/clock_pair.h"
#include "tests/bench/made_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::bench::test {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

// Sent at 1 s, accepted 1 ms later; the server's stamps are those of its answer, in ms since then.
RequestRecord told() {
  RequestRecord record = answered({.intended = 1, .send = 1, .tokens = {{1.0252, 1}, {1.1, 1}}, .end = 1.2});
  record.first_event_ns = ns(1.0252);
  ServerTimes server{.accepted_ns = ns(1.001)};
  const std::array<double, 10> ms = {0.5, 1.5, 2, 4, 4, 20, 21, 24, 150, 160};
  for (std::size_t i = 0; i < ms.size(); ++i) server.stamps[i] = server.accepted_ns + ns(ms[i] * 1e-3);
  record.server = server;
  return record;
}

TEST(Phases, FollowEachOtherFromTheSendToTheEnd) {
  const auto phases = phases_of(told());
  ASSERT_TRUE(phases);
  // in, parse, tokenise, queue, prefill, sample, decode, finish, out
  EXPECT_THAT(*phases, Pointwise(DoubleNear(1e-9), {0.001, 0.0005, 0.001, 0.0025, 0.016, 0.001, 0.129, 0.010, 0.039}));
}

TEST(Phases, AreUnknownWithoutAStamp) {
  RequestRecord record = told();
  record.server->stamps[static_cast<std::size_t>(ServerStamp::kPrefillEnd)].reset();
  EXPECT_FALSE(phases_of(record));
  record.server.reset();
  EXPECT_FALSE(phases_of(record));
  EXPECT_FALSE(transport_of(record));
}

TEST(Phases, TransportIsTheClientsTtftLessTheServers) { EXPECT_NEAR(transport_of(told()).value_or(0), 0.0252 - 0.024, 1e-9); }

TEST(Phases, StampsAscendUpToTheirRounding) {
  RequestRecord record = told();
  EXPECT_EQ(disorder_of(record), "");
  auto& written = record.server->stamps[static_cast<std::size_t>(ServerStamp::kFirstWrite)];
  written = *record.first_event_ns + 900;
  EXPECT_EQ(disorder_of(record), "") << "the server rounds to a microsecond";
  written = *record.first_event_ns + 5000;
  EXPECT_THAT(disorder_of(record), HasSubstr("first event is 5.0 µs before first_write"));
  written.reset();
  EXPECT_EQ(disorder_of(record), "") << "what did not happen is no disorder";
  record.server->accepted_ns = *record.send_ns - 2000;
  EXPECT_THAT(disorder_of(record), HasSubstr("accepted is 2.0 µs before send"));
}

// A clock that runs a thousandth slow: 10 s of it are 10.01 s of stamps.
TEST(ServerTimes, AreMappedToTheClockOfStamps) {
  const double rate = stamp_rate({ns(100), ns(7)}, {ns(110.01), ns(17)});
  EXPECT_NEAR(rate, 1.001, 1e-12);
  ServerTimes times{.accepted_ns = ns(105)};
  times.stamps[9] = ns(2);  // since then
  times.place(ns(104), rate);
  EXPECT_EQ(times.accepted_ns, ns(1));
  EXPECT_NEAR(static_cast<double>(*times.stamps[9]), 3.002e9, 1);
  EXPECT_FALSE(times.stamps[0]);
}

TEST(ClockPair, ReadsBothClocksAtOnce) {
  const ClockPair first = read_clocks(), second = read_clocks();
  EXPECT_GT(second.stamp_ns, first.stamp_ns);
  EXPECT_GT(second.monotonic_ns, first.monotonic_ns);
  EXPECT_EQ(stamp_rate(first, first), 1.0);
}

}  // namespace
}  // namespace mie::bench::test
