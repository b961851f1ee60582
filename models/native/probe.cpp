#include "models/native/probe.h"

#include "core/base/clock.h"
#include "models/native/arena.h"
#include "models/native/foreign_cpu.h"
#include "models/native/peaks/peak_table.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace mie::native {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kCacheLine = 64;
constexpr int kRegionsPerStamp = 16;  // empty regions between two readings of the clock, which cost a fifth of one each

// Every part ends by its time, however slow a busy machine makes its samples.
struct Parts {
  std::size_t buffer_bytes;
  bool flush;             // before each pass, not timed
  double read_seconds;    // of one thread, and again of all
  double rate_seconds;    // of each instruction
  double region_seconds;  // of empty regions
};

double seconds_of(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Memory that can be taken without pushing anyone's out; 0: not known.
std::size_t available_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key, unit;
  for (std::size_t kib = 0; meminfo >> key >> kib; std::getline(meminfo, unit)) {
    if (key == "MemAvailable:") return kib << 10;
  }
  return 0;
}

Parts parts_of(ProbeLength length) {
  if (length == ProbeLength::kFull) return {uncacheable_bytes(), false, 0.9, 0.25, 0.1};
#if defined(__x86_64__)
  return {64 * kMiB, true, 0.08, 0.02, 0.01};
#else
  return {uncacheable_bytes(), false, 0.08, 0.02, 0.01};
#endif
}

void flush_lines([[maybe_unused]] const std::byte* data, [[maybe_unused]] std::size_t n_bytes) {
#if defined(__x86_64__)
  for (std::size_t at = 0; at < n_bytes; at += kCacheLine) _mm_clflush(data + at);
  _mm_mfence();
#endif
}

void pause_briefly() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

class Prober {
 public:
  Prober(ThreadPool& pool, const PeakTable& peaks, const Parts& parts)
      : pool_(pool), peaks_(peaks), parts_(parts), n_threads_(static_cast<std::size_t>(pool.n_threads())) {}

  void read(ProbeResult& result) {
    // Without memory for the buffer there is no bandwidth to report: the figures stay 0.
    auto arena = Arena::reserve(parts_.buffer_bytes);
    if (!arena) return;
    const std::byte* data = arena->take(parts_.buffer_bytes);
    pool_.on_each_thread([&](int thread) { arena->touch(thread, pool_.n_threads()); });
    result.buffer_bytes = parts_.buffer_bytes;
    result.read_1t_gbps = read_gbps(data, 1);
    result.read_gbps = n_threads_ == 1 ? result.read_1t_gbps : read_gbps(data, n_threads_);
  }

  // Operations per second of all threads, in units of 10^9.
  std::optional<double> rate(const PeakLoop& loop) {
    if (loop.run == nullptr) return std::nullopt;
    constexpr std::int64_t kRounds = 20'000;  // a fraction of a millisecond
    const double ops = loop.ops_per_round * kRounds * static_cast<double>(n_threads_);
    return median_of(parts_.rate_seconds,
                     [&] { return ops / timed([&](int) { keep(static_cast<std::uint64_t>(loop.run(kRounds) > 0)); }) * 1e-9; });
  }

  double fork_join_ns() {
    return median_of(parts_.region_seconds, [&] {
      const auto start = clock_.now();
      for (int region = 0; region < kRegionsPerStamp; ++region) pool_.on_each_thread([](int) {});
      return seconds_of(clock_.now() - start) * 1e9 / kRegionsPerStamp;
    });
  }

  // The two threads take turns in counting.
  double round_trip_ns() {
    if (n_threads_ < 2) return 0;
    constexpr std::uint32_t kTrips = 64;
    constexpr int kSpinsBeforeYield = 2000;
    return median_of(parts_.region_seconds, [&] {
      std::atomic<std::uint32_t> count{0};
      const double seconds = timed([&](int thread) {
        if (thread > 1) return;
        const auto mine = static_cast<std::uint32_t>(thread);
        for (std::uint32_t trip = 0; trip < kTrips; ++trip) {
          for (int spins = 0; count.load(std::memory_order_acquire) != 2 * trip + mine; ++spins) {
            spins < kSpinsBeforeYield ? pause_briefly() : static_cast<void>(::sched_yield());  // both may share one core
          }
          count.fetch_add(1, std::memory_order_acq_rel);
        }
      });
      return seconds * 1e9 / kTrips;
    });
  }

 private:
  template <class Body>
  double timed(Body body) {
    const auto start = clock_.now();
    pool_.on_each_thread(body);
    return seconds_of(clock_.now() - start);
  }

  // Samples for about `seconds`, one at least.
  template <class Sample>
  double median_of(double seconds, Sample sample) {
    std::vector<double> values;
    const auto start = clock_.now();
    do values.push_back(sample());
    while (seconds_of(clock_.now() - start) < seconds);
    return median(values);
  }

  // Thread i of the first `n_readers` reads the i-th part.
  double read_gbps(const std::byte* data, std::size_t n_readers) {
    const std::size_t part = parts_.buffer_bytes / n_readers / kReadBlock * kReadBlock;
    return median_of(parts_.read_seconds, [&] {
      if (parts_.flush) pool_.on_each_thread([&](int thread) { flush_share(data, static_cast<std::size_t>(thread)); });
      const double seconds = timed([&](int thread) {
        const auto reader = static_cast<std::size_t>(thread);
        if (reader < n_readers) keep(peaks_.read(data + reader * part, part));
      });
      return static_cast<double>(part * n_readers) / seconds * 1e-9;
    });
  }

  void flush_share(const std::byte* data, std::size_t thread) const {
    const std::size_t share = parts_.buffer_bytes / n_threads_;
    flush_lines(data + thread * share, share);
  }

  // What a loop returns is used, so that the loop is not left out.
  void keep(std::uint64_t value) { kept_.fetch_xor(value, std::memory_order_relaxed); }

  SystemClock clock_;
  ThreadPool& pool_;
  const PeakTable& peaks_;
  Parts parts_;
  std::size_t n_threads_;
  std::atomic<std::uint64_t> kept_{0};
};

std::string moved(const char* what, double before, double after) {
  if (std::max(before, after) <= (1 + kProbeTolerance) * std::min(before, after)) return {};
  char text[96];
  std::snprintf(text, sizeof text, "%s moved from %.1f to %.1f", what, before, after);
  return text;
}

}  // namespace

std::size_t uncacheable_bytes() {
  const long l3 = ::sysconf(_SC_LEVEL3_CACHE_SIZE);  // 0 or -1: not known
  const std::size_t wanted = l3 > 0 ? 4 * static_cast<std::size_t>(l3) : 512 * kMiB;
  return std::clamp(std::min(wanted, available_bytes() / 4), 64 * kMiB, 4096 * kMiB) / kMiB * kMiB;
}

std::string foreign_disturbance(double share) {
  if (share <= kMaxForeignCpu) return {};
  char text[96];
  std::snprintf(text, sizeof text, "other processes used %.0f %% of the CPU", share * 100);
  return text;
}

std::string ProbeResult::disturbance() const { return foreign_disturbance(foreign_cpu); }

std::string disagreement(const ProbeResult& before, const ProbeResult& after) {
  for (const ProbeResult* one : {&before, &after}) {
    if (auto why = one->disturbance(); !why.empty()) return why;
  }
  if (auto why = moved("read bandwidth", before.read_gbps, after.read_gbps); !why.empty()) return why;
  if (auto why = moved("the fp32 rate", before.fp32_gflops.value_or(1), after.fp32_gflops.value_or(1)); !why.empty())
    return why;
  if (auto why = moved("the bf16 rate", before.bf16_gflops.value_or(1), after.bf16_gflops.value_or(1)); !why.empty())
    return why;
  return moved("the int8 rate", before.int8_gops.value_or(1), after.int8_gops.value_or(1));
}

ProbeResult probe(ThreadPool& pool, ProbeLength length, Isa isa) {
  const ForeignCpu foreign;
  const ThreadPool::Step awake(pool);
  ProbeResult result;
  result.n_threads = pool.n_threads();
  const PeakTable& peaks = peak_table(isa);
  Prober prober(pool, peaks, parts_of(length));
  result.fork_join_ns = prober.fork_join_ns();
  result.round_trip_ns = prober.round_trip_ns();
  prober.read(result);
  result.fp32_gflops = prober.rate(peaks.fp32);
  result.bf16_gflops = prober.rate(peaks.bf16);
  result.int8_gops = prober.rate(peaks.int8);
  result.foreign_cpu = foreign.share();
  return result;
}

}  // namespace mie::native
