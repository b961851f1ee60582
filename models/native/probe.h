// What this machine can do right now: read bandwidth, vector rates, the cost of a parallel region. Every kernel is judged
// against it, and the server's cost model starts from it, because on a shared machine all of these move within minutes.
// Runs on the caller's thread and the pool's workers; the caller is the thread that uses the pool.
#pragma once

#include "models/native/isa.h"
#include "models/native/thread_pool.h"

#include <cstddef>
#include <optional>
#include <string>

namespace mie::native {

// About 3 s, reading a buffer of 4 x L3; about 0.3 s, reading a smaller one that is flushed from the caches before each pass.
enum class ProbeLength { kFull, kShort };

struct ProbeResult {
  double read_1t_gbps = 0;            // GB/s of one thread reading memory in ascending order
  double read_gbps = 0;               // of all threads, each its own part
  std::optional<double> fp32_gflops;  // fused multiply-adds, all threads; none: the unit has no such instruction
  std::optional<double> bf16_gflops;  // vdpbf16ps
  std::optional<double> int8_gops;    // vpdpbusd
  double fork_join_ns = 0;            // of an empty parallel region, median
  double round_trip_ns = 0;           // of a cache line from thread 0 to thread 1 and back: no region is quicker; 0: one thread
  double foreign_cpu = 0;             // share of the machine that others used meanwhile (foreign_cpu.h)
  int n_threads = 1;
  std::size_t buffer_bytes = 0;  // what was read

  // Why these figures should not be used to judge anything; empty when they may be.
  [[nodiscard]] std::string disturbance() const;
};

inline constexpr double kMaxForeignCpu = 0.05;
// What a share of foreign_cpu.h above that bound means for a measurement; empty for one below it.
[[nodiscard]] std::string foreign_disturbance(double share);
inline constexpr double kProbeTolerance = 0.15;  // two probes that differ by more were not taken on the same machine

// What moved by more than the tolerance between two probes beside a measurement; empty: they agree.
[[nodiscard]] std::string disagreement(const ProbeResult& before, const ProbeResult& after);

// Bytes of which a pass finds next to nothing in the last-level cache on the next one: 4 x L3, bounded by free memory.
[[nodiscard]] std::size_t uncacheable_bytes();

// REQUIRES: isa_supported(isa); no ThreadPool::Step is alive.
[[nodiscard]] ProbeResult probe(ThreadPool& pool, ProbeLength length, Isa isa);

}  // namespace mie::native
