#include "bench/selftest/known_loads.h"
#include "bench/selftest/points.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <thread>

namespace mie::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kRequests = 100'000;
constexpr int kConcurrency = 32;
constexpr double kLeastRate = 20'000;  // requests/s
constexpr double kMostLateness = 200;  // µs, p99
constexpr double kDisturbed = 0.005;   // share of its time that the client waited for its core
constexpr int kMostTries = 3;
constexpr int kClientCore = 0, kServerCore = 1;

void bind_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
}

// On a core of its own where there are two.
LoadResult on_own_core(const LoadSettings& settings, std::vector<PlannedRequest> requests) {
  LoadResult out;
  std::thread([&] {
    if (std::thread::hardware_concurrency() > 1) bind_to(kClientCore);
    out = run_known(settings, std::move(requests));
  }).join();
  return out;
}

KnownAnswerOptions null_server() {
  KnownAnswerOptions out;
  if (std::thread::hardware_concurrency() > 1) out.core = kServerCore;
  return out;
}

SelfTestPoint throughput() {
  KnownAnswerServer server(null_server());
  LoadSettings settings = known_settings(server);
  settings.closed = ClosedLoop{.concurrency = kConcurrency};
  const LoadResult result = on_own_core(settings, known_requests(kRequests, 1, 0ns));
  const bool all = count_of(result.records, RequestStatus::ok) == kRequests;
  const double rate = all ? kRequests / (static_cast<double>(result.length_ns) * 1e-9) : 0;
  const double waited = result.client.run_queue_share;
  return {11,
          fmt::format("{} requests to the null server, {} at a time, requests/s (others had its core for {:.1f} %)", kRequests,
                      kConcurrency, waited * 100),
          fmt::format("{:.0f}", rate),
          fmt::format(">= {:.0f}", kLeastRate),
          rate >= kLeastRate,
          all && waited > kDisturbed};
}

// Another program on the client's core says nothing about the client: such a run is made again, twice at most.
SelfTestPoint lateness_at(int rate) {
  const int n = 3 * rate;
  LoadResult result;
  for (int tries = 0; tries < kMostTries && (tries == 0 || result.client.run_queue_share > kDisturbed); ++tries) {
    KnownAnswerServer server(null_server());
    result = on_own_core(known_settings(server), known_requests(n, 1, std::chrono::nanoseconds(1s) / rate));
  }
  const bool all = count_of(result.records, RequestStatus::ok) == n;
  const double p99 = result.client.lateness_p99 * 1e6;
  return {11,
          fmt::format("lateness p99 at {} requests/s, µs (others had its core for {:.1f} %)", rate,
                      result.client.run_queue_share * 100),
          all ? fmt::format("{:.1f}", p99) : "requests failed", fmt::format("< {:.0f}", kMostLateness),
          all && p99<kMostLateness, result.client.run_queue_share> kDisturbed};
}

}  // namespace

SelfTestPoints check_speed() { return {throughput(), lateness_at(500), lateness_at(2000), lateness_at(5000)}; }

}  // namespace mie::bench
