#include "bench/load/load_loop.h"

#include "bench/load/precedence.h"
#include "bench/load/stamp_clock.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace mie::bench {
namespace {

constexpr std::int64_t kAhead = 100'000;  // ns that a sleep ends before a send; the rest is a spin
// The kernel sleeps by the slewed clock, which may run slower than the stamp clock by a thousandth (measured): long sleeps end
// earlier by four, and are followed by shorter ones.
constexpr std::int64_t kSlewed = 256;
constexpr std::int64_t kNoLook = 5'000;           // ns before a send in which the sockets are not looked at either
constexpr std::int64_t kForever = 1'000'000'000;  // ns of the longest sleep
constexpr int kMostEvents = 256;

// epoll in nanoseconds. An old kernel has milliseconds only: it gets fewer of them, and the rest is a spin.
int epoll_for(int epoll, std::span<epoll_event> events, std::int64_t timeout_ns) {
  const timespec timeout = {.tv_sec = timeout_ns / 1'000'000'000, .tv_nsec = timeout_ns % 1'000'000'000};
  const int n = ::epoll_pwait2(epoll, events.data(), static_cast<int>(events.size()), &timeout, nullptr);
  if (n >= 0 || errno != ENOSYS) return n;
  return ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), static_cast<int>(timeout_ns / 1'000'000));
}

}  // namespace

LoadLoop::LoadLoop(const LoadParts& parts)
    : parts_(parts),
      schedule_(parts.settings, parts.requests, *this),
      connections_(parts.server, parts.n_connections, parts.live),
      alarms_(2 * parts.requests.size() + static_cast<std::size_t>(parts.n_connections)),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

LoadLoop::~LoadLoop() { ::close(wake_); }

void LoadLoop::stop() {
  schedule_.stop();
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto n = ::write(wake_, &one, sizeof one);  // cannot fail before 2^64 stops
}

void LoadLoop::drive() {
  const Precedence precedence;
  meter_.begin();
  schedule_.begin();
  while (!schedule_.over()) {
    schedule_.obey();
    schedule_.fire();
    ring();
    schedule_.pump();
    if (!schedule_.over()) wait();
  }
  ended_ns_ = stamp_ns();
  meter_.end();
}

std::int64_t LoadLoop::now_ns() const { return stamp_ns(); }

void LoadLoop::cut_off() {
  const std::int64_t now = stamp_ns();
  for (Connection& one : connections_.all())
    if (one.request >= 0) end_on(one, Ending::kStopped, now);
}

void LoadLoop::ring() {
  const std::int64_t now = stamp_ns();
  while (alarms_.next_ns() <= now) alarm(alarms_.take().what, now);
}

void LoadLoop::alarm(const Timed& timed, std::int64_t now_ns) {
  Connection& connection = connections_.at(timed.slot);
  if (connection.request != timed.request || !schedule_.in_flight(timed.request)) return;
  switch (timed.alarm) {
    case Alarm::kTimeout:
      return end_on(connection, Ending::kTimedOut, now_ns);
    case Alarm::kCancel:
      return end_on(connection, Ending::kCancelled, now_ns);
    case Alarm::kSlowRead:
      return slow_read(connection, now_ns);
  }
}

void LoadLoop::wait() {
  std::array<epoll_event, kMostEvents> events;
  const std::int64_t before = stamp_ns();
  const std::int64_t to_send = schedule_.next_ns() - before;
  if (to_send > 0 && to_send <= kNoLook) {
    std::int64_t now = before;
    while (now < schedule_.next_ns()) now = stamp_ns();
    return meter_.spun(before, now);
  }
  meter_.looks(before);  // also when more is due than one turn sends: then without waiting
  const std::int64_t timeout = std::min({to_send - to_send / kSlewed - kAhead, alarms_.next_ns() - before, kForever});
  const int n = epoll_for(connections_.epoll(), events, std::max<std::int64_t>(timeout, 0));
  const std::int64_t after = stamp_ns();
  meter_.looks_away(after);
  if (n <= 0 && timeout <= 0 && to_send > 0) meter_.spun(before, after);
  for (int i = 0; i < n; ++i)
    on_event(events[static_cast<std::size_t>(i)].data.u32, events[static_cast<std::size_t>(i)].events);
}

}  // namespace mie::bench
