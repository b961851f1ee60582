#include "bench/workload/expand/outline.h"

#include "bench/workload/draw/arrival_times.h"
#include "bench/workload/draw/drawn_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mie::bench {
namespace {

using std::chrono::nanoseconds;

enum Lane : std::uint32_t { kTurns, kFirstThink };  // of sessions; a turn's think time is kFirstThink + turn

constexpr double kMostSeconds = 1e9;  // thirty years: nanoseconds stay far from the end of 64 bits

nanoseconds nanoseconds_of(double seconds) { return nanoseconds(std::llround(seconds * 1e9)); }

std::optional<DrawnLaw> drawn(const std::optional<LengthSpec>& spec, Domain domain) {
  return spec ? std::optional(DrawnLaw::make(*spec, domain).value()) : std::nullopt;
}

class Outline {
 public:
  Outline(const WorkloadSpec& spec, const Inputs& inputs)
      : spec_(spec),
        arrivals_("arrivals", spec.seed),
        sessions_("sessions", spec.seed),
        loop_think_(drawn(spec.arrival.think_s, Domain::kSeconds)) {
    if (spec.arrival.open())
      times_.emplace(spec.arrival, spec.seed,
                     inputs.arrivals.rows.empty() ? std::vector<double>{} : inputs.arrivals.stamps_s());
    if (!spec.sessions) return;
    turns_ = drawn(spec.sessions->turns, Domain::kTokens);
    turn_think_ = drawn(spec.sessions->think_s, Domain::kSeconds);
  }

  Result<std::vector<Slot>> make() {
    for (int session = 0; !full(); ++session) {
      Slot first;
      first.session = session;
      if (!start(first)) break;
      if (std::ssize(slots_) >= kMostRequests)
        return Error{Errc::kConfig, fmt::format("more than {} requests", kMostRequests), ""};
      add_turns(first);
    }
    const auto asked = spec_.requests.count;
    if (asked && measured_ < *asked)
      return Error{Errc::kConfig, fmt::format("arrival.law ends after {} of requests.count = {}", measured_, *asked),
                   "arrival.law"};
    if (spec_.sessions && spec_.sessions->order == SessionOrder::kInterleaved)
      std::ranges::sort(slots_, {}, [](const Slot& slot) { return std::pair(slot.turn, slot.session); });
    return std::move(slots_);
  }

 private:
  bool full() const {
    if (spec_.requests.count) return measured_ >= *spec_.requests.count;
    return !spec_.arrival.open() && std::ssize(slots_) >= closed_bound();
  }

  std::int64_t closed_bound() const {
    const double asked = std::ceil(*spec_.requests.longest_s() * spec_.arrival.concurrency * kClosedRequestsPerSecond);
    return std::min(static_cast<std::int64_t>(std::min(asked, 1e9)), kMostClosedRequests);
  }

  // When a session's first request comes; false when no more come.
  bool start(Slot& first) {
    const auto session = static_cast<std::uint64_t>(first.session);
    if (times_) {
      const auto time = times_->next();
      const auto longest = spec_.requests.longest_s();
      if (!time || *time > kMostSeconds || (longest && *time >= *longest + spec_.warmup.seconds)) return false;
      first.intended = nanoseconds_of(*time);
      first.warmup = *time < spec_.warmup.seconds;
    } else if (first.session < spec_.arrival.concurrency) {
      first.think = nanoseconds_of(spec_.arrival.ramp_s * first.session / spec_.arrival.concurrency);
    } else if (loop_think_) {
      first.think = nanoseconds_of(loop_think_->at(arrivals_.uniform(session)));
    }
    return true;
  }

  void add_turns(const Slot& first) {
    const auto session = static_cast<std::uint64_t>(first.session);
    const int n = turns_ ? turns_->length(sessions_.uniform(session, kTurns)) : 1;
    for (int turn = 0; turn < n && !full() && std::ssize(slots_) < kMostRequests; ++turn) {
      Slot slot = first;
      slot.turn = turn;
      if (turn > 0) {
        slot.intended.reset();
        slot.think = nanoseconds(0);
        const auto lane = kFirstThink + static_cast<std::uint32_t>(turn);
        if (turn_think_) slot.think = nanoseconds_of(turn_think_->at(sessions_.uniform(session, lane)));
      }
      slots_.push_back(slot);
      if (!slot.warmup) ++measured_;
    }
  }

  const WorkloadSpec& spec_;
  RandomStream arrivals_, sessions_;
  std::optional<DrawnLaw> loop_think_, turns_, turn_think_;
  std::optional<ArrivalTimes> times_;
  std::vector<Slot> slots_;
  std::int64_t measured_ = 0;  // slots that are no warm-up
};

}  // namespace

Result<std::vector<Slot>> outline_of(const WorkloadSpec& spec, const Inputs& inputs) { return Outline(spec, inputs).make(); }

}  // namespace mie::bench
