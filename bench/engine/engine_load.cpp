#include "bench/engine/engine_load.h"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace mie::bench {

EngineLoad::EngineLoad(const EngineLoadParts& parts, LoadSettings settings, std::span<const PlannedRequest> requests,
                       MakeRequests when)
    : parts_(parts),
      settings_(std::move(settings)),
      requests_(requests),
      schedule_(settings_, requests, *this),
      answers_(requests.size()),
      alarms_(2 * requests.size()) {
  if (when == MakeRequests::kWhenDue) return;
  made_.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    made_.emplace_back(parts_.requests.make(requests[i], settings_));
    answers_[i].events.reserve(static_cast<std::size_t>(requests[i].output_tokens));
    answers_[i].tokens.reserve(static_cast<std::size_t>(requests[i].output_tokens));
  }
}

void EngineLoad::stop() {
  schedule_.stop();
  parts_.pace.wake();
}

void EngineLoad::drive() {
  schedule_.order();
  parts_.pace.begin([this] { return fire(); });
  schedule_.begin();
  while (!schedule_.over()) {
    schedule_.obey();
    const std::int64_t next = fire();
    if (schedule_.over()) break;
    if (!parts_.pace.wait(next)) schedule_.give_up("the engine makes no progress");
  }
  ended_ns_ = parts_.pace.now_ns();
  while (n_reading_ > 0 && parts_.pace.wait(EnginePace::kNever)) {
  }  // streams that were let go of end within a step
  use_ = parts_.pace.end();
}

void EngineLoad::cut_off() {
  for (int i = 0; i < std::ssize(requests_); ++i) let_go(i, Ending::kStopped);
}

std::int64_t EngineLoad::fire() {
  schedule_.fire();
  while (alarms_.next_ns() <= parts_.pace.now_ns()) {
    const Timed timed = alarms_.take().what;
    let_go(timed.request, timed.alarm == Alarm::kTimeout ? Ending::kTimedOut : Ending::kCancelled);
  }
  schedule_.pump();
  return std::min(schedule_.next_ns(), alarms_.next_ns());
}

void EngineLoad::start(int request) {
  Exchange& exchange = of(request);
  schedule_.sent(request, parts_.pace.now_ns());
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
  if (!schedule_.in_flight(request)) return;  // let go of
  const std::int64_t now = parts_.pace.now_ns();
  Answer& answer = answer_of(request);
  if (!batch.tokens.empty()) {
    if (exchange.first_ns == Exchange::kNever) exchange.first_ns = now;
    if (settings_.stream.enabled) answer.events.push_back({now - schedule_.began_ns(), static_cast<int>(batch.tokens.size())});
    for (const Sampled& sampled : batch.tokens) answer.tokens.push_back(sampled.token);
    exchange.tokens += static_cast<int>(batch.tokens.size());
    ++exchange.n_chunks;
    schedule_.progress().tokens.fetch_add(std::ssize(batch.tokens), std::memory_order_relaxed);
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
  if (!schedule_.in_flight(request)) return;
  parts_.engine.release(answer_of(request).id, Outcome::kClientGone, of(request).tokens);
  end(request, ending, parts_.pace.now_ns());
}

void EngineLoad::end(int request, Ending ending, std::int64_t at_ns) {
  of(request).ending = ending;  // of which the verdict is made
  schedule_.ended(request, ending, at_ns, of(request).tokens, verdict_of(static_cast<std::size_t>(request)).status);
}

}  // namespace mie::bench
