#include "bench/run/server_poll.h"

#include "bench/load/stamp_clock.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace mie::bench {

ServerPoll::ServerPoll(std::function<MetricSums()> ask, std::int64_t since_ns, std::function<void(const ServerSample&)> seen)
    : ask_(std::move(ask)),
      since_ns_(since_ns),
      seen_(std::move(seen)),
      thread_([this](const std::stop_token& stop) { poll(stop); }) {}

std::vector<ServerSample> ServerPoll::end() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  return std::move(samples_);
}

void ServerPoll::poll(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any ended;
  while (!stop.stop_requested()) {
    MetricSums sums = ask_();
    if (!sums.empty()) {
      samples_.push_back({stamp_ns() - since_ns_, std::move(sums)});
      if (seen_) seen_(samples_.back());
    }
    std::unique_lock held(mutex);
    ended.wait_for(held, stop, std::chrono::seconds(1), [] { return false; });
  }
}

}  // namespace mie::bench
