// A replay in real time, through the engine as connections use it.
#include "core/engine/engine.h"
#include "server/record/replay.h"

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <span>
#include <utility>

namespace mie {
namespace {

// On one I/O thread: the caller's.
class LiveReplay {
 public:
  LiveReplay(const Record& record, Engine& engine, const Clock& clock)
      : record_(record), answers_(answers_of(record)), engine_(engine), clock_(clock) {}

  ReplayOutcome run() {
    spawn(submit_all(this));
    io_.run();
    engine_.stop();  // it posts to io_ until then
    if (failure_) std::rethrow_exception(failure_);
    return std::move(outcome_);
  }

 private:
  void spawn(net::awaitable<void> work) {
    net::co_spawn(io_, std::move(work), [this](std::exception_ptr error) {
      if (error) failure_ = error;
    });
  }

  static net::awaitable<void> submit_all(LiveReplay* self) {
    const Clock::time_point start = self->clock_.now();
    net::steady_timer due(self->io_);
    const std::span<const RecordEvent> events(self->record_.events);
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].kind != RecordEvent::Kind::kTaken || events[i].request->choice != 0) continue;
      const auto n_choices = static_cast<std::size_t>(events[i].request->n_choices);
      if (n_choices > events.size() - i) co_return;                  // the recording was cut short
      due.expires_after(start + events[i].at - self->clock_.now());  // in the past: at once
      co_await due.async_wait(net::use_awaitable);
      self->submit(events.subspan(i, n_choices));  // the choices of a prompt were taken in a row
    }
  }

  // Nothing is asked where the recording does not have every answer.
  void submit(std::span<const RecordEvent> choices) {
    std::vector<Request> requests;
    for (const RecordEvent& choice : choices) {
      if (choice.kind != RecordEvent::Kind::kTaken || !answers_.contains(choice.id)) return;
      Request& request = requests.emplace_back(*choice.request);
      request.arrival = clock_.now();
      request.deadline.reset();  // where one ended it, the number of its tokens does now
    }
    auto streams = engine_.submit(std::move(requests), io_.get_executor());
    if (streams.has_error()) return refused(choices.front(), streams.error());
    for (std::size_t i = 0; i < choices.size(); ++i) {
      spawn(read(this, choices[i].id, &answers_.at(choices[i].id), (*streams)[i]));
    }
  }

  void refused(const RecordEvent& event, const Error& error) {
    const RecordedAnswer& answer = answers_.at(event.id);
    if (answer.reason == FinishReason::kError && answer.tokens.empty()) return;  // its first step refused it
    outcome_.differ(fmt::format("request {}: refused: {}", event.id.value(), error.message));
  }

  static net::awaitable<void> read(LiveReplay* self, RequestId id, const RecordedAnswer* answer,
                                   std::shared_ptr<TokenStream> stream) {
    std::vector<TokenId> tokens;
    std::optional<FinishReason> reason;
    while (!reason && !(answer->cut && tokens.size() >= answer->tokens.size())) {
      TokenBatch batch = co_await stream->next();
      for (const Sampled& sampled : batch.tokens) tokens.push_back(sampled.token);
      if (batch.finish) reason = batch.finish->reason;
    }
    self->engine_.release(stream->id(), reason ? Outcome::kComplete : Outcome::kAborted, static_cast<int>(tokens.size()));
    compare_answer(id, *answer, tokens, reason, self->outcome_);
  }

  const Record& record_;
  const RecordedAnswers answers_;
  Engine& engine_;
  const Clock& clock_;
  net::io_context io_{1};
  ReplayOutcome outcome_;
  std::exception_ptr failure_;
};

}  // namespace

ReplayOutcome replay_in_real_time(const Record& record, Engine& engine, const Clock& clock) {
  return LiveReplay(record, engine, clock).run();
}

}  // namespace mie
