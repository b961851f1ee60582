// What the probe promises whatever the machine: which figures exist, and when two probes may stand beside one measurement.
// How fast anything is, is no test.
#include "models/native/probe.h"

#include "models/native/foreign_cpu.h"
#include "models/native/peaks/peak_table.h"
#include "tests/models/native/kernel_inputs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mie::native::testing {
namespace {

ProbeResult plain() {
  ProbeResult result;
  result.read_1t_gbps = 20;
  result.read_gbps = 40;
  result.fp32_gflops = 200;
  result.bf16_gflops = 400;
  result.int8_gops = 800;
  return result;
}

TEST(Probe, ReadsAndCountsWithEveryUnit) {
  ThreadPool pool(2, {});
  for (const Isa isa : supported_isas()) {
    const ProbeResult result = probe(pool, ProbeLength::kShort, isa);
    EXPECT_GT(result.read_1t_gbps, 0) << isa_name(isa);
    EXPECT_GT(result.read_gbps, 0) << isa_name(isa);
    EXPECT_GT(result.fork_join_ns, 0) << isa_name(isa);
    EXPECT_GT(result.round_trip_ns, 0) << isa_name(isa);
    EXPECT_EQ(result.n_threads, 2);
    EXPECT_EQ(result.fp32_gflops.has_value(), isa >= Isa::kAvx2) << isa_name(isa);
    EXPECT_EQ(result.int8_gops.has_value(), isa >= Isa::kAvx512Vnni) << isa_name(isa);
    EXPECT_EQ(result.bf16_gflops.has_value(), isa >= Isa::kAvx512VnniBf16) << isa_name(isa);
  }
}

TEST(Probe, OneThreadReadsAsAllThreads) {
  ThreadPool pool(1, {});
  const ProbeResult result = probe(pool, ProbeLength::kShort, Isa::kScalar);
  EXPECT_EQ(result.read_gbps, result.read_1t_gbps);
  EXPECT_EQ(result.round_trip_ns, 0);
}

// The xor of words 1 … n shows that each word was read once.
TEST(PeakTable, ReadSeesEveryWordOnce) {
  AlignedBytes bytes(4 * kReadBlock);
  auto* words = reinterpret_cast<std::uint64_t*>(bytes.get());
  for (const Isa isa : supported_isas()) {
    for (std::size_t at = 0; at < 4 * kReadBlock / 8; ++at) {
      words[at] = std::uint64_t{1} << (at % 64);
      EXPECT_NE(peak_table(isa).read(bytes.get(), 4 * kReadBlock), 0U) << isa_name(isa) << " word " << at;
      words[at] = 0;
    }
    EXPECT_EQ(peak_table(isa).read(bytes.get(), 4 * kReadBlock), 0U) << isa_name(isa);
  }
}

TEST(PeakTable, LoopsStayFinite) {
  for (const Isa isa : supported_isas()) {
    const PeakTable& peaks = peak_table(isa);
    for (const PeakLoop& loop : {peaks.fp32, peaks.bf16}) {
      if (loop.run != nullptr) EXPECT_TRUE(std::isfinite(loop.run(100'000))) << isa_name(isa);
    }
  }
}

TEST(ProbeResult, ForeignCpuOverFivePercentDisturbs) {
  ProbeResult result = plain();
  result.foreign_cpu = 0.05;
  EXPECT_EQ(result.disturbance(), "");
  result.foreign_cpu = 0.06;
  EXPECT_EQ(result.disturbance(), "other processes used 6 % of the CPU");
}

TEST(ProbeResult, ProbesAgreeUpToFifteenPercent) {
  ProbeResult after = plain();
  after.read_gbps = 46;  // 15 % more
  EXPECT_EQ(disagreement(plain(), after), "");
  EXPECT_EQ(disagreement(after, plain()), "");
  after.read_gbps = 46.1;
  EXPECT_EQ(disagreement(plain(), after), "read bandwidth moved from 40.0 to 46.1");
  after = plain();
  after.int8_gops = 600;
  EXPECT_EQ(disagreement(plain(), after), "the int8 rate moved from 800.0 to 600.0");
  after = plain();
  after.foreign_cpu = 0.5;
  EXPECT_EQ(disagreement(plain(), after), "other processes used 50 % of the CPU");
}

TEST(ForeignCpu, IsAShare) {
  const ForeignCpu foreign;
  EXPECT_GE(foreign.share(), 0);
  EXPECT_LE(foreign.share(), 1);
}

}  // namespace
}  // namespace mie::native::testing
