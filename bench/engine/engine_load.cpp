#include "bench/engine/engine_load.h"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace mie::bench {
namespace {

constexpr int kMostSendsInARow = 64;  // before streams are looked at

}  // namespace

EngineLoad::EngineLoad(const EngineLoadParts& parts, LoadSettings settings, std::span<const PlannedRequest> requests,
                       MakeRequests when)
    : parts_(parts),
      settings_(std::move(settings)),
      requests_(requests),
      order_(requests, settings_.closed),
      progress_(requests.size()),
      exchanges_(requests.size()),
      answers_(requests.size()),
      sends_(requests.size()),
      alarms_(2 * requests.size()) {
  waiting_.reserve(requests.size());
  if (when == MakeRequests::kWhenDue) return;
  made_.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    made_.emplace_back(parts_.requests.make(requests[i], settings_));
    answers_[i].events.reserve(static_cast<std::size_t>(requests[i].output_tokens));
    answers_[i].tokens.reserve(static_cast<std::size_t>(requests[i].output_tokens));
  }
}

void EngineLoad::stop() {
  stops_.fetch_add(1);
  parts_.pace.wake();
}

void EngineLoad::drive() {
  const std::vector<Due> first = order_.first();
  parts_.pace.begin([this] { return fire(); });
  began_ns_ = parts_.pace.now_ns();
  progress_.started_ns.store(began_ns_);
  for (const Due& one : first) sends_.add(began_ns_ + one.at_ns, one.request);
  while (!over()) {
    obey();
    const std::int64_t next = fire();
    if (over()) break;
    if (parts_.pace.wait(next)) continue;
    broken_off_ = "the engine makes no progress";
    draining_ = true;
    for (int i = 0; i < std::ssize(exchanges_); ++i) let_go(i, Ending::kStopped);
  }
  ended_ns_ = parts_.pace.now_ns();
  while (n_reading_ > 0 && parts_.pace.wait(EnginePace::kNever)) {
  }  // streams that were let go of end within a step
  use_ = parts_.pace.end();
}

bool EngineLoad::over() const { return in_flight_ == 0 && (draining_ || (sends_.empty() && n_admitted_ == waiting_.size())); }

void EngineLoad::obey() {
  const int stops = stops_.load(std::memory_order_relaxed);
  if (stops > 0 && !draining_) {
    draining_ = true;
    broken_off_ = "stopped";
  }
  if (stops > 1 && in_flight_ > 0) {
    broken_off_ = "stopped at once";
    for (int i = 0; i < std::ssize(exchanges_); ++i) let_go(i, Ending::kStopped);
  }
}

std::int64_t EngineLoad::fire() {
  for (int n = 0; n < kMostSendsInARow && sends_.next_ns() <= parts_.pace.now_ns(); ++n) {
    const auto entry = sends_.take();
    due(entry.what, entry.at_ns);
  }
  while (alarms_.next_ns() <= parts_.pace.now_ns()) {
    const Timed timed = alarms_.take().what;
    let_go(timed.request, timed.alarm == Alarm::kTimeout ? Ending::kTimedOut : Ending::kCancelled);
  }
  pump();
  return std::min(sends_.next_ns(), alarms_.next_ns());
}

void EngineLoad::due(int request, std::int64_t at_ns) {
  Exchange& exchange = of(request);
  exchange.intended_ns = exchange.due_ns = at_ns;
  if (draining_) return;
  if (settings_.send_for && at_ns - began_ns_ >= settings_.send_for->count()) return;
  if (may_start()) {
    start(request);
  } else if (settings_.overflow == Overflow::kDrop) {
    end(request, Ending::kDropped, parts_.pace.now_ns());
  } else {
    exchange.phase = Exchange::Phase::kWaiting;
    waiting_.push_back(request);
    progress_.waiting.fetch_add(1, std::memory_order_relaxed);
  }
}

bool EngineLoad::may_start() const { return !settings_.max_in_flight || in_flight_ < *settings_.max_in_flight; }

void EngineLoad::pump() {
  while (!draining_ && n_admitted_ < waiting_.size() && may_start()) {
    const int request = waiting_[n_admitted_++];
    progress_.waiting.fetch_sub(1, std::memory_order_relaxed);
    of(request).due_ns = parts_.pace.now_ns();
    start(request);
  }
}

void EngineLoad::start(int request) {
  Exchange& exchange = of(request);
  exchange.phase = Exchange::Phase::kInFlight;
  progress_.in_flight.store(++in_flight_, std::memory_order_relaxed);
  exchange.send_ns = parts_.pace.now_ns();
  const std::int64_t late = exchange.send_ns - exchange.due_ns;
  if (late > progress_.worst_lateness_ns.load(std::memory_order_relaxed))
    progress_.worst_lateness_ns.store(late, std::memory_order_relaxed);
  progress_.sent.fetch_add(1, std::memory_order_relaxed);
  Result<EngineRequest> asked =
      made_.empty() ? parts_.requests.make(planned(request), settings_) : std::move(*made_[static_cast<std::size_t>(request)]);
  if (asked.has_error()) {
    answer_of(request).refused = asked.error();
    exchange.sent_ns = exchange.send_ns;
    return end(request, Ending::kComplete, exchange.send_ns);
  }
  submit(request, std::move(*asked));
}

void EngineLoad::submit(int request, EngineRequest asked) {
  Exchange& exchange = of(request);
  Answer& answer = answer_of(request);
  asked.request.arrival = parts_.clock.now();
  asked.request.deadline = asked.request.arrival + asked.limit;
  answer.n_prompt = static_cast<int>(asked.request.prompt.size());
  std::vector<Request> requests;
  requests.push_back(std::move(asked.request));
  auto streams = parts_.engine.submit(std::move(requests), parts_.io.get_executor());
  exchange.sent_ns = parts_.pace.now_ns();
  if (streams.has_error()) {
    answer.refused = streams.error();
    return end(request, Ending::kComplete, exchange.sent_ns);
  }
  answer.id = streams->front()->id();
  if (settings_.timeout) alarms_.add(exchange.send_ns + settings_.timeout->count(), {Alarm::kTimeout, request});
  if (const auto& after = planned(request).cancel.after)
    alarms_.add(exchange.send_ns + after->count(), {Alarm::kCancel, request});
  ++n_reading_;
  net::co_spawn(parts_.io, read(this, request, streams->front()), [](const std::exception_ptr& error) {
    if (error) std::rethrow_exception(error);
  });
}

net::awaitable<void> EngineLoad::read(EngineLoad* self, int request, std::shared_ptr<TokenStream> stream) {
  for (bool last = false; !last;) {
    TokenBatch batch = co_await stream->next();
    last = batch.finish.has_value();
    self->take(request, std::move(batch));
  }
  --self->n_reading_;
}

void EngineLoad::take(int request, TokenBatch batch) {
  Exchange& exchange = of(request);
  if (exchange.phase != Exchange::Phase::kInFlight) return;  // let go of
  const std::int64_t now = parts_.pace.now_ns();
  Answer& answer = answer_of(request);
  if (!batch.tokens.empty()) {
    if (exchange.first_ns == Exchange::kNever) exchange.first_ns = now;
    if (settings_.stream.enabled) answer.events.push_back({now - began_ns_, static_cast<int>(batch.tokens.size())});
    for (const Sampled& sampled : batch.tokens) answer.tokens.push_back(sampled.token);
    exchange.tokens += static_cast<int>(batch.tokens.size());
    ++exchange.n_chunks;
    progress_.tokens.fetch_add(std::ssize(batch.tokens), std::memory_order_relaxed);
  }
  if (batch.finish) {
    const bool whole = !batch.finish->error;
    answer.finish = std::move(batch.finish);
    parts_.engine.release(answer.id, whole ? Outcome::kComplete : Outcome::kError, exchange.tokens);
    return end(request, Ending::kComplete, now);
  }
  const auto& cancel = planned(request).cancel.after_tokens;
  if (cancel && exchange.tokens >= *cancel) let_go(request, Ending::kCancelled);
}

void EngineLoad::let_go(int request, Ending ending) {
  if (of(request).phase != Exchange::Phase::kInFlight) return;
  parts_.engine.release(answer_of(request).id, Outcome::kClientGone, of(request).tokens);
  end(request, ending, parts_.pace.now_ns());
}

void EngineLoad::end(int request, Ending ending, std::int64_t at_ns) {
  Exchange& exchange = of(request);
  if (exchange.phase == Exchange::Phase::kInFlight) progress_.in_flight.store(--in_flight_, std::memory_order_relaxed);
  exchange.phase = Exchange::Phase::kEnded;
  exchange.ending = ending;
  exchange.end_ns = at_ns;
  const std::int64_t sent = exchange.send_ns == Exchange::kNever ? at_ns : exchange.send_ns;
  progress_.add({.at_ns = at_ns - began_ns_,
                 .ttft_ns = exchange.first_ns == Exchange::kNever ? -1 : exchange.first_ns - sent,
                 .e2el_ns = at_ns - sent,
                 .tokens = exchange.tokens,
                 .status = verdict_of(static_cast<std::size_t>(request)).status});
  if (const auto next = order_.after(request, at_ns - began_ns_)) sends_.add(began_ns_ + next->at_ns, next->request);
}

}  // namespace mie::bench
