// Verdicts on invented figures, each limit from both sides.
#include "bench/load/client_figures.h"

#include "tests/bench/made_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::bench {
namespace {

using test::answered;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

Exchange sent(std::int64_t due_ns, std::int64_t send_ns) {
  Exchange out;
  out.due_ns = due_ns;
  out.send_ns = send_ns;
  return out;
}

TEST(ClientFigures, SharesAreOfTheWallAndSpinsAreNoWork) {
  const ClientUse use = {.wall_ns = 1000,
                         .cpu_ns = 700,
                         .spin_ns = 300,
                         .run_queue_ns = 50,
                         .longest_loop_ns = 2'000'000,
                         .busy_loop_ns = 400,
                         .n_loops = 4};
  std::vector<Exchange> exchanges = {sent(0, 100), sent(0, 200), sent(100, 500), Exchange{}};
  exchanges[3].ending = Ending::kConnectFailed;
  const ClientFigures figures = client_figures(use, exchanges, {});
  EXPECT_DOUBLE_EQ(figures.cpu_share, 0.4);
  EXPECT_DOUBLE_EQ(figures.spin_share, 0.3);
  EXPECT_DOUBLE_EQ(figures.run_queue_share, 0.05);
  EXPECT_DOUBLE_EQ(figures.loop_gap_max, 2e-3);
  EXPECT_DOUBLE_EQ(figures.loop_time_mean, 100e-9);
  EXPECT_DOUBLE_EQ(figures.lateness_p50, 200e-9);
  EXPECT_DOUBLE_EQ(figures.lateness_max, 400e-9);
  EXPECT_EQ(figures.connect_errors, 1);
}

TEST(ClientFigures, EventsOfOneReadShareItsStamp) {
  const std::vector records = {answered({.tokens = {{1, 1}, {1, 1}, {1.5, 1}, {1.75, 1}}})};  // two of four share a read
  const ClientFigures figures = client_figures({}, {}, records);
  EXPECT_DOUBLE_EQ(figures.coalesced_share, 1.0 / 3);
  EXPECT_DOUBLE_EQ(figures.read_gap_median, 0.375);
}

TEST(ClientFigures, TheMedianGapIsOfIntendedInstants) {
  const std::vector records = {answered({.intended = 3}), answered({.intended = 0}), answered({.intended = 1}),
                               answered({.intended = 7})};  // gaps 1 2 4
  EXPECT_THAT(median_gap(records), Optional(2.0));
  const std::vector burst = {answered({}), answered({}), answered({})};
  EXPECT_EQ(median_gap(burst), std::nullopt);
  EXPECT_EQ(median_gap({}), std::nullopt);
}

TEST(ClientVerdict, EachLimitHoldsUpToItself) {
  ClientFigures fine;
  fine.lateness_p99 = 1e-3;
  fine.cpu_share = 0.7;
  fine.loop_gap_max = 5e-3;
  fine.coalesced_share = 0.2;
  fine.read_gap_median = 1;
  fine.run_queue_share = 0.02;
  EXPECT_THAT(client_verdict(fine, 0.02, 3.0).reasons, IsEmpty());
  EXPECT_FALSE(client_verdict(fine, {}, {}).client_bound());

  const auto reasons_with = [&fine](auto change, std::optional<double> gap = {}, std::optional<double> null = {}) {
    ClientFigures figures = fine;
    change(figures);
    return client_verdict(figures, gap, null).reasons;
  };
  EXPECT_THAT(reasons_with([](auto& f) { f.lateness_p99 = 1.1e-3; }), ElementsAre(HasSubstr("lateness p99")));
  EXPECT_THAT(reasons_with([](auto&) {}, 0.019), ElementsAre(HasSubstr("median gap")));
  EXPECT_THAT(reasons_with([](auto& f) { f.cpu_share = 0.71; }), ElementsAre(HasSubstr("core")));
  EXPECT_THAT(reasons_with([](auto& f) { f.loop_gap_max = 5.1e-3; }), ElementsAre(HasSubstr("looks")));
  EXPECT_THAT(reasons_with([](auto& f) { f.coalesced_share = 0.21; }), ElementsAre(HasSubstr("several token events")));
  EXPECT_THAT(reasons_with([](auto& f) { f.run_queue_share = 0.021; }), ElementsAre(HasSubstr("waits for a core")));
  EXPECT_THAT(reasons_with([](auto& f) { f.out_of_sockets = true; }), ElementsAre(HasSubstr("sockets")));
  EXPECT_THAT(reasons_with([](auto&) {}, {}, 2.9), ElementsAre(HasSubstr("null server")));
}

TEST(ClientVerdict, EventsThatTheServerSendsTogetherAreNotTheClients) {
  ClientFigures figures;
  figures.coalesced_share = 0.9;
  figures.read_gap_median = figures.loop_time_mean = 1e-4;
  EXPECT_FALSE(client_verdict(figures, {}, {}).client_bound());
}

}  // namespace
}  // namespace mie::bench
