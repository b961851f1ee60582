#include "bench/load/send_schedule.h"

namespace mie::bench {
namespace {

constexpr int kMostSendsInARow = 64;  // before answers are looked at

}  // namespace

SendSchedule::SendSchedule(const LoadSettings& settings, std::span<const PlannedRequest> requests, SendClient& client)
    : settings_(settings),
      client_(client),
      order_(requests, settings.closed),
      progress_(requests.size()),
      exchanges_(requests.size()),
      sends_(requests.size()) {
  waiting_.reserve(requests.size());
}

void SendSchedule::order() { first_ = order_.first(); }

void SendSchedule::begin() {
  began_ns_ = client_.now_ns();
  progress_.started_ns.store(began_ns_);
  for (const Due& one : first_) sends_.add(began_ns_ + one.at_ns, one.request);
}

bool SendSchedule::over() const { return in_flight_ == 0 && (draining_ || (sends_.empty() && n_admitted_ == waiting_.size())); }

void SendSchedule::obey() {
  const int stops = stops_.load(std::memory_order_relaxed);
  if (stops > 0 && !draining_) {
    draining_ = true;
    broken_off_ = "stopped";
  }
  if (stops > 1 && in_flight_ > 0) give_up("stopped at once");
}

void SendSchedule::give_up(const char* why) {
  draining_ = true;
  broken_off_ = why;
  client_.cut_off();
}

void SendSchedule::fire() {
  for (int n = 0; n < kMostSendsInARow && sends_.next_ns() <= client_.now_ns(); ++n) {
    const auto entry = sends_.take();
    due(entry.what, entry.at_ns);
  }
}

void SendSchedule::due(int request, std::int64_t at_ns) {
  Exchange& exchange = of(request);
  exchange.intended_ns = exchange.due_ns = at_ns;
  if (draining_) return;
  if (settings_.send_for && at_ns - began_ns_ >= settings_.send_for->count()) return;
  if (may_start()) {
    start(request);
  } else if (settings_.overflow == Overflow::kDrop && settings_.max_in_flight) {
    ended(request, Ending::kDropped, client_.now_ns(), 0, RequestStatus::not_sent);
  } else {
    exchange.phase = Exchange::Phase::kWaiting;
    waiting_.push_back(request);
    progress_.waiting.fetch_add(1, std::memory_order_relaxed);
  }
}

bool SendSchedule::may_start() {
  return (!settings_.max_in_flight || in_flight_ < *settings_.max_in_flight) && client_.has_room();
}

void SendSchedule::pump() {
  while (!draining_ && n_admitted_ < waiting_.size() && may_start()) {
    const int request = waiting_[n_admitted_++];
    progress_.waiting.fetch_sub(1, std::memory_order_relaxed);
    of(request).due_ns = client_.now_ns();
    start(request);
  }
}

void SendSchedule::start(int request) {
  of(request).phase = Exchange::Phase::kInFlight;
  progress_.in_flight.store(++in_flight_, std::memory_order_relaxed);
  client_.start(request);
}

void SendSchedule::sent(int request, std::int64_t at_ns) {
  Exchange& exchange = of(request);
  exchange.send_ns = at_ns;
  const std::int64_t late = at_ns - exchange.due_ns;
  if (late > progress_.worst_lateness_ns.load(std::memory_order_relaxed))
    progress_.worst_lateness_ns.store(late, std::memory_order_relaxed);
  progress_.sent.fetch_add(1, std::memory_order_relaxed);
}

void SendSchedule::ended(int request, Ending ending, std::int64_t at_ns, int tokens, RequestStatus apparent) {
  Exchange& exchange = of(request);
  if (exchange.phase == Exchange::Phase::kInFlight) progress_.in_flight.store(--in_flight_, std::memory_order_relaxed);
  exchange.phase = Exchange::Phase::kEnded;
  exchange.ending = ending;
  exchange.end_ns = at_ns;
  const std::int64_t sent = exchange.send_ns == Exchange::kNever ? at_ns : exchange.send_ns;
  progress_.add({.at_ns = at_ns - began_ns_,
                 .ttft_ns = exchange.first_ns == Exchange::kNever ? -1 : exchange.first_ns - sent,
                 .e2el_ns = at_ns - sent,
                 .tokens = tokens,
                 .status = apparent});
  if (const auto next = order_.after(request, at_ns - began_ns_)) sends_.add(began_ns_ + next->at_ns, next->request);
}

}  // namespace mie::bench
