#include "bench/engine/virtual_pace.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace mie::bench {
namespace {

constexpr Clock::duration kBetweenLoads = std::chrono::microseconds(1);

}  // namespace

// What a load before this one did, it did earlier.
void VirtualPace::begin(std::function<std::int64_t()> fire) {
  clock_.advance(kBetweenLoads);
  fire_ = std::move(fire);
}

void VirtualPace::move_to(std::int64_t at_ns) { clock_.advance(Clock::duration(std::max<std::int64_t>(0, at_ns - now_ns()))); }

void VirtualPace::pass(Clock::duration time) {
  const std::int64_t end = now_ns() + time.count();
  if (fire_) {
    for (std::int64_t next = fire_(); next <= end; next = fire_()) move_to(next);
  }
  move_to(end);
}

ClientUse VirtualPace::end() {
  fire_ = {};
  while (loop_->turn() == EngineLoop::Turn::kStepped) {
  }
  io_.restart();
  io_.poll();
  return {};
}

bool VirtualPace::wait(std::int64_t until_ns) {
  const EngineLoop::Turn did = loop_->turn();
  io_.restart();
  if (io_.poll() > 0 || did == EngineLoop::Turn::kStepped) return true;
  if (did == EngineLoop::Turn::kStuck || until_ns == kNever) return false;
  move_to(until_ns);
  return true;
}

}  // namespace mie::bench
