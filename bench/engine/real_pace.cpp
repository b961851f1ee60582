#include "bench/engine/real_pace.h"

#include "bench/load/stamp_clock.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>

namespace mie::bench {
namespace {

// As the client over HTTP waits (load_loop.cpp).
constexpr std::int64_t kAhead = 100'000;  // ns that a sleep ends before an instant
constexpr std::int64_t kSlewed = 256;
constexpr std::int64_t kForever = 1'000'000'000;  // ns of the longest sleep

}  // namespace

std::int64_t RealPace::now_ns() const { return stamp_ns(); }

void RealPace::begin(std::function<std::int64_t()> /*fire*/) {
  precedence_.emplace();
  meter_ = {};
  meter_.begin();
}

ClientUse RealPace::end() {
  meter_.end();
  precedence_.reset();
  return meter_.use();
}

bool RealPace::wait(std::int64_t until_ns) {
  const std::int64_t before = stamp_ns();
  const std::int64_t left = until_ns - before;
  io_.restart();
  meter_.looks(before);
  if (left <= kAhead) {
    std::int64_t now = before;
    while (io_.poll() == 0 && now < until_ns) now = stamp_ns();
    meter_.looks_away(stamp_ns());
    meter_.spun(before, now);
    return true;
  }
  alarm_.expires_after(std::chrono::nanoseconds(std::min(left - left / kSlewed - kAhead, kForever)));
  alarm_.async_wait([](const boost::system::error_code&) {});
  io_.run_one();
  meter_.looks_away(stamp_ns());
  alarm_.cancel();
  io_.poll();
  return true;
}

void RealPace::wake() {
  boost::asio::post(io_, [] {});
}

}  // namespace mie::bench
