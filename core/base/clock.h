// The clock seam: everything that reads time for stamps and deadlines takes a Clock, so that tests own time.
// Thread-safe: now() and unix_seconds() may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace mie {

class Clock {
 public:
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

  virtual ~Clock() = default;
  [[nodiscard]] virtual time_point now() const = 0;             // monotonic; deadlines and latencies
  [[nodiscard]] virtual std::int64_t unix_seconds() const = 0;  // wall clock; log stamps and `created` only
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] time_point now() const override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] std::int64_t unix_seconds() const override {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  }
};

// Stands still until told to move.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(duration start = std::chrono::seconds(1)) : now_ns_(start.count()) {}

  [[nodiscard]] time_point now() const override { return time_point(duration(now_ns_.load())); }
  [[nodiscard]] std::int64_t unix_seconds() const override { return now_ns_.load() / 1'000'000'000; }
  void advance(duration by) { now_ns_.fetch_add(by.count()); }

 private:
  std::atomic<std::int64_t> now_ns_;
};

}  // namespace mie
