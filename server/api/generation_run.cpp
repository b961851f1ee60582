#include "server/api/generation_run.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <iterator>

namespace mie::api {
namespace {

Sampled with_best(const Sampled& scored, int n) {
  Sampled kept = scored;
  kept.top.resize(std::min(kept.top.size(), static_cast<std::size_t>(n)));
  return kept;
}

}  // namespace

LiveChoice::LiveChoice(const Tokenizer& tokenizer, PreparedChoice prepared)
    : text(tokenizer, std::move(prepared.text)),
      n_prompt(static_cast<int>(prepared.request.prompt.size())),
      first_of_prompt(prepared.request.choice == 0),
      max_tokens(prepared.request.max_tokens),
      n_echo_logprobs(prepared.n_echo_logprobs),
      n_prompt_logprobs(prepared.n_prompt_logprobs),
      stop_texts(std::move(prepared.stop_texts)),
      eos_ids(std::move(prepared.eos_ids)),
      until_context(prepared.until_context) {
  if (prepared.request.wants_prompt_logits()) push_prompt({.token = prepared.request.prompt.front(), .top = {}});
}

void LiveChoice::push_prompt(const Sampled& scored) {
  if (n_prompt_logprobs >= 0) prompt_scores.push_back(with_best(scored, n_prompt_logprobs));
  if (n_echo_logprobs >= 0) text.push_prompt(with_best(scored, n_echo_logprobs));
}

GenerationRun::GenerationRun(Setup setup) : setup_(std::move(setup)), news_(setup_.executor) {}

Result<std::shared_ptr<GenerationRun>> GenerationRun::submit(const ServedModel& model, PreparedGeneration& prepared,
                                                             Setup setup) {
  std::shared_ptr<GenerationRun> run(new GenerationRun(setup));
  run->wait_for_times_ = prepared.params.include_timings;
  std::vector<Request> requests;
  for (PreparedChoice& choice : prepared.choices) {
    Request request = choice.request;
    run->choices_.push_back(std::make_unique<LiveChoice>(*model.tokenizer, std::move(choice)));
    LiveChoice& live = *run->choices_.back();
    if (prepared.params.return_token_ids) live.prompt_ids = request.prompt;
    if (request.max_tokens > 0 || request.wants_prompt_logits()) {
      requests.push_back(std::move(request));
    } else {
      live.ended = true;
      live.end = {.finish_reason = "length", .stop_reason = {}};
    }
  }
  if (!requests.empty()) {
    auto streams = setup.engine.submit(std::move(requests), setup.executor);
    if (streams.has_error()) return streams.error();
    for (std::size_t i = 0; i < run->choices_.size(); ++i) {  // all choices have the same max_tokens
      run->choices_[i]->stream = std::move((*streams)[i]);
      run->choices_[i]->guard = CancelGuard(setup.engine, run->choices_[i]->stream->id());
    }
  }
  run->spawn_pumps();
  return run;
}

void GenerationRun::spawn_pumps() {
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    if (!choices_[i]->stream) continue;
    const auto done = [self = shared_from_this(),
                       supervisor = setup_.tasks.supervise("pump")](const std::exception_ptr& failure) {
      supervisor(failure);
      if (failure && !self->choices_.empty()) self->fail({Errc::kInternal, "internal error", ""});
    };
    net::co_spawn(setup_.executor, pump(shared_from_this(), i),
                  net::bind_cancellation_slot(choices_[i]->stop_pump.slot(), done));
  }
}

net::awaitable<void> GenerationRun::pump(std::shared_ptr<GenerationRun> self, std::size_t index) {
  LiveChoice& choice = *self->choices_[index];
  while (!choice.finish && (!choice.ended || self->wait_for_times_)) {
    TokenBatch batch = co_await choice.stream->next();
    self->take(choice, std::move(batch));
    self->notify();
  }
}

void GenerationRun::take(LiveChoice& choice, TokenBatch batch) {
  if (!batch.tokens.empty() && !choice.text.stopped()) {
    const auto now = setup_.clock.now();
    if (!choice.has_token) choice.first_token = now;
    choice.last_token = now;
    choice.has_token = true;
  }
  for (const Sampled& scored : batch.prompt) choice.push_prompt(scored);
  for (Sampled& sampled : batch.tokens) {
    if (!choice.text.stopped()) choice.text.push(std::move(sampled));
  }
  if (batch.finish) choice.finish = std::move(batch.finish);
  if (choice.text.stopped()) {
    choice.guard.release(Outcome::kComplete, choice.text.n_tokens());
    choice.end = {.finish_reason = "stop", .stop_reason = choice.text.stop_string()};
    choice.ended = choice.finish || !wait_for_times_;
  } else if (choice.finish) {
    end_by_engine(choice);
  }
}

void GenerationRun::end_by_engine(LiveChoice& choice) {
  const Finish& finish = *choice.finish;
  if (finish.error) return fail(*finish.error);
  choice.text.finish();
  choice.ended = true;
  choice.end.finish_reason = finish.reason == FinishReason::kLength ? "length" : "stop";
  if (finish.reason != FinishReason::kStop || !finish.stop_id) return;
  const TokenId id = *finish.stop_id;
  const auto& texts = choice.stop_texts;
  const auto text = std::find_if(texts.begin(), texts.end(), [id](const auto& entry) { return entry.first == id; });
  const bool is_eos = std::find(choice.eos_ids.begin(), choice.eos_ids.end(), id) != choice.eos_ids.end();
  if (text != texts.end())
    choice.end.stop_reason = text->second;
  else if (!is_eos)
    choice.end.stop_reason = id;
}

void GenerationRun::fail(Error error) {
  if (!failure_) failure_ = std::move(error);
  notify();
}

// A client that takes nothing must not make the server hold ever more: the write that waits for it is given up.
void GenerationRun::notify() {
  has_news_ = true;
  news_.cancel();
  std::size_t n_waiting = setup_.connection ? setup_.connection->n_unwritten() : 0;
  if (n_waiting == 0) return;
  for (const auto& choice : choices_) n_waiting += choice->text.n_unsent_bytes();
  if (n_waiting <= setup_.output_limit_bytes || overflowed_) return;
  overflowed_ = true;
  setup_.connection->cancel();
}

net::awaitable<void> GenerationRun::wait_for_news(Clock::time_point deadline) {
  while (!has_news_ && setup_.clock.now() < deadline) {
    news_.expires_at(deadline);
    const auto [ec] = co_await news_.async_wait(net::as_tuple(net::use_awaitable));
    (void)ec;  // a cancelled coroutine throws at its next co_await
  }
}

bool GenerationRun::started() const {
  return ended() || std::any_of(choices_.begin(), choices_.end(), [](const auto& choice) { return choice->has_token; });
}

bool GenerationRun::ended() const {
  return std::all_of(choices_.begin(), choices_.end(), [](const auto& choice) { return choice->ended; });
}

Usage GenerationRun::usage() const {
  Usage usage;
  for (const auto& choice : choices_) {
    if (choice->first_of_prompt) usage.prompt_tokens += choice->n_prompt;
    usage.completion_tokens += choice->text.n_tokens();
    if (choice->finish) usage.cached_tokens += choice->finish->times.n_cached_tokens;
  }
  return usage;
}

void GenerationRun::release(Outcome outcome) {
  for (const auto& choice : choices_) {
    choice->guard.release(outcome, choice->text.n_tokens());
    choice->stop_pump.emit(net::cancellation_type::terminal);
  }
}

}  // namespace mie::api
