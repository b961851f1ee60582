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
constexpr int kMostSendsInARow = 64;              // before the sockets are looked at
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
      order_(parts.requests, parts.settings.closed),
      connections_(parts.server, parts.n_connections, parts.live),
      progress_(parts.requests.size()),
      exchanges_(parts.requests.size()),
      sends_(parts.requests.size()),
      alarms_(2 * parts.requests.size() + static_cast<std::size_t>(parts.n_connections)),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  waiting_.reserve(parts.requests.size());
}

LoadLoop::~LoadLoop() { ::close(wake_); }

void LoadLoop::stop() {
  stops_.fetch_add(1);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto n = ::write(wake_, &one, sizeof one);  // cannot fail before 2^64 stops
}

void LoadLoop::drive() {
  const Precedence precedence;
  meter_.begin();
  began_ns_ = stamp_ns();
  progress_.started_ns.store(began_ns_);
  for (const Due& one : first_) sends_.add(began_ns_ + one.at_ns, one.request);
  while (!over()) {
    obey();
    fire();
    pump();
    if (!over()) wait();
  }
  ended_ns_ = stamp_ns();
  meter_.end();
}

bool LoadLoop::over() const { return in_flight_ == 0 && (draining_ || (sends_.empty() && n_admitted_ == waiting_.size())); }

void LoadLoop::obey() {
  const int stops = stops_.load(std::memory_order_relaxed);
  if (stops > 0 && !draining_) {
    draining_ = true;
    broken_off_ = "stopped";
  }
  if (stops > 1 && in_flight_ > 0) cut_off("stopped at once");
}

void LoadLoop::cut_off(const char* why) {
  draining_ = true;
  broken_off_ = why;
  const std::int64_t now = stamp_ns();
  for (Connection& one : connections_.all())
    if (one.request >= 0) end_on(one, Ending::kStopped, now);
}

void LoadLoop::fire() {
  std::int64_t now = stamp_ns();
  for (int n = 0; n < kMostSendsInARow && sends_.next_ns() <= now; ++n) {
    const auto entry = sends_.take();
    due(entry.what, entry.at_ns);
    now = stamp_ns();
  }
  while (alarms_.next_ns() <= now) alarm(alarms_.take().what, now);
}

void LoadLoop::due(int request, std::int64_t at_ns) {
  Exchange& exchange = of(request);
  exchange.intended_ns = exchange.due_ns = at_ns;
  if (draining_) return;
  if (parts_.settings.send_for && at_ns - began_ns_ >= parts_.settings.send_for->count()) return;
  if (may_start()) {
    start(request);
  } else if (parts_.settings.overflow == Overflow::kDrop && parts_.settings.max_in_flight) {
    end(request, Ending::kDropped, stamp_ns());
  } else {
    exchange.phase = Exchange::Phase::kWaiting;
    waiting_.push_back(request);
    progress_.waiting.fetch_add(1, std::memory_order_relaxed);
  }
}

bool LoadLoop::may_start() const {
  if (parts_.settings.max_in_flight && in_flight_ >= *parts_.settings.max_in_flight) return false;
  return connections_.has_idle() || !connections_.full();
}

void LoadLoop::pump() {
  while (!draining_ && n_admitted_ < waiting_.size() && may_start()) {
    const int request = waiting_[n_admitted_++];
    progress_.waiting.fetch_sub(1, std::memory_order_relaxed);
    of(request).due_ns = stamp_ns();
    start(request);
  }
}

void LoadLoop::alarm(const Timed& timed, std::int64_t now_ns) {
  Connection& connection = connections_.at(timed.slot);
  if (connection.request != timed.request || of(timed.request).phase != Exchange::Phase::kInFlight) return;
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
  const std::int64_t to_send = sends_.next_ns() - before;
  if (to_send > 0 && to_send <= kNoLook) {
    std::int64_t now = before;
    while (now < sends_.next_ns()) now = stamp_ns();
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
