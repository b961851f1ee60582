// Verdicts on invented figures.
#include "bench/micro/gates.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace mie::bench {
namespace {

native::ProbeResult probe_of(double read, double int8) {
  native::ProbeResult probe;
  probe.read_gbps = read;
  probe.int8_gops = int8;
  probe.fork_join_ns = 250;
  return probe;
}

// 1 ms a step; 34 GB/s of 40 = 85 %.
Measured at_85_percent() {
  Measured one;
  one.name = "case";
  one.timing.median = 1e-3;
  one.bytes = 34e6;
  one.limit = Limit::kRead;
  one.before = one.after = probe_of(40, 800);
  return one;
}

Judged judged(GateKind kind, double need, const Measured& measured) {
  const std::array cases{measured};
  return judge({3, "what", kind, "case", need}, {.cases = cases});
}

TEST(Gates, ToleranceIsFifteenPercentOfTheNeedAndItsEdgePasses) {
  EXPECT_TRUE(reaches(85, 100, 0.15));
  EXPECT_FALSE(reaches(84.9, 100, 0.15));
  EXPECT_TRUE(stays_within(115, 100, 0.15));
  EXPECT_FALSE(stays_within(115.1, 100, 0.15));
}

TEST(Gates, PercentOfTheMeanOfBothProbes) {
  Measured one = at_85_percent();
  EXPECT_DOUBLE_EQ(*one.percent(), 85);
  one.after.read_gbps = 45;  // mean 42.5: 80 %
  EXPECT_DOUBLE_EQ(*one.percent(), 80);
  one.limit = Limit::kInt8;
  one.ops = 400e6;  // 400 of 800
  EXPECT_DOUBLE_EQ(*one.percent(), 50);
}

TEST(Gates, PercentGate) {
  EXPECT_EQ(judged(GateKind::kPercent, 99, at_85_percent()).verdict, Verdict::kPass);  // 84.15 is enough
  const Judged failed = judged(GateKind::kPercent, 101, at_85_percent());
  EXPECT_EQ(failed.verdict, Verdict::kFail);
  EXPECT_DOUBLE_EQ(*failed.figure, 85);
}

TEST(Gates, ByteRatioHasNoToleranceOfItsOwn) {
  // 34 MB take 0.85 ms at 40 GB/s: 1 ms is 1.176 times that.
  EXPECT_EQ(judged(GateKind::kByteRatio, 1.18, at_85_percent()).verdict, Verdict::kPass);
  EXPECT_EQ(judged(GateKind::kByteRatio, 1.15, at_85_percent()).verdict, Verdict::kFail);
}

TEST(Gates, MicrosecondsOfOneIteration) {
  Measured one = at_85_percent();
  one.timing.median = 68e-6;
  EXPECT_EQ(judged(GateKind::kMicroseconds, 60, one).verdict, Verdict::kPass);
  one.timing.median = 70e-6;
  EXPECT_EQ(judged(GateKind::kMicroseconds, 60, one).verdict, Verdict::kFail);
}

// 151,936 logits: a head of 896 x 151,936 weights of 8.5 bits is 144.6 MB, 3.616 ms at 40 GB/s.
TEST(Gates, GreedySamplingIsHeldAgainstTheHead) {
  Measured one = at_85_percent();
  one.bytes = 4.0 * 151936;
  one.timing.median = 36.16e-6;
  EXPECT_NEAR(*judged(GateKind::kHeadShare, 1, one).figure, 1.0, 1e-3);
}

TEST(Gates, AMovedProbeOrABusyMachineJudgesNothing) {
  Measured one = at_85_percent();
  one.after.read_gbps = 30;
  Judged moved = judged(GateKind::kPercent, 1, one);
  EXPECT_EQ(moved.verdict, Verdict::kDisturbed);
  EXPECT_EQ(moved.note, "the read probe moved from 40.0 to 30.0");
  one = at_85_percent();
  one.after.int8_gops = 100;  // not the limit of this case
  EXPECT_EQ(judged(GateKind::kPercent, 1, one).verdict, Verdict::kPass);
  one.before.foreign_cpu = 0.2;
  EXPECT_EQ(judged(GateKind::kPercent, 1, one).verdict, Verdict::kDisturbed);
  one = at_85_percent();
  one.foreign_cpu = 0.06;
  EXPECT_EQ(judged(GateKind::kPercent, 1, one).note, "other processes used 6 % of the CPU");
}

TEST(Gates, WhatTheCpuLacksIsNotRun) {
  Measured one = at_85_percent();
  one.limit = Limit::kBf16;
  const Judged absent = judged(GateKind::kPercent, 1, one);
  EXPECT_EQ(absent.verdict, Verdict::kNotRun);
  EXPECT_EQ(absent.note, "this CPU has no such instruction");
}

TEST(Gates, WhatWasNotMeasuredIsNotRun) {
  EXPECT_EQ(judge({3, "what", GateKind::kPercent, "other", 1}, {}).verdict, Verdict::kNotRun);
  EXPECT_EQ(judge({6, "what", GateKind::kByteRatio, "step/decode-1", 1}, {}).note, "needs --model FILE");
}

TEST(Gates, ForkJoinComesFromTheProbe) {
  native::ProbeResult probe = probe_of(40, 800);
  const Gate gate{1, "what", GateKind::kForkJoin, "", 250};
  EXPECT_EQ(judge(gate, {.cases = {}, .probe = &probe}).verdict, Verdict::kPass);
  probe.fork_join_ns = 300;
  EXPECT_EQ(judge(gate, {.cases = {}, .probe = &probe}).verdict, Verdict::kFail);
  probe.round_trip_ns = 150;  // 210 ns: the gate is the higher bound
  EXPECT_EQ(judge(gate, {.cases = {}, .probe = &probe}).verdict, Verdict::kFail);
  probe.round_trip_ns = 200;  // 280 ns
  EXPECT_EQ(judge(gate, {.cases = {}, .probe = &probe}).verdict, Verdict::kPass);
}

TEST(Gates, OneDifferentBitFails) {
  UnitBits bits;
  bits.n_values = 10;
  const Gate gate{13, "what", GateKind::kBits, "", 0};
  EXPECT_EQ(judge(gate, {.cases = {}, .bits = &bits}).verdict, Verdict::kPass);
  bits.n_differences = 1;
  bits.first_difference = "avx2 Q4_1 row 0 output 3";
  const Judged failed = judge(gate, {.cases = {}, .bits = &bits});
  EXPECT_EQ(failed.verdict, Verdict::kFail);
  EXPECT_EQ(failed.note, "avx2 Q4_1 row 0 output 3");
}

// Every suite that the tests define, by their sources: "TEST(Suite, Name)", "TEST_P(Suite, Name)".
std::set<std::string> suites_of_tests() {
  std::set<std::string> suites;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(MIE_TEST_DATA)) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      const auto open = line.find('('), comma = line.find(',');
      if (line.starts_with("TEST") && comma != std::string::npos) suites.insert(line.substr(open + 1, comma - open - 1));
    }
  }
  return suites;
}

TEST(Gates, TestsThatJudgeExist) {
  const auto suites = suites_of_tests();
  for (const Gate& gate : all_gates()) {
    if (gate.kind != GateKind::kTest) continue;
    const Judged judged = judge(gate, {});
    EXPECT_EQ(judged.verdict, Verdict::kElsewhere);
    std::string suite = judged.note.substr(judged.note.find('=') + 1);
    std::erase(suite, '*');
    EXPECT_TRUE(suites.contains(suite)) << judged.note;
  }
}

TEST(Gates, CoverTheBringUpSteps) {
  std::set<int> numbers;
  for (const Gate& gate : all_gates()) numbers.insert(gate.number);
  EXPECT_EQ(numbers, (std::set<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 13}));
}

}  // namespace
}  // namespace mie::bench
