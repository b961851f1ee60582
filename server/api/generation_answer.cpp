#include "server/api/generation_answer.h"

#include "server/api/error_body.h"
#include "server/api/timings.h"

namespace mie::api {
namespace {

constexpr auto kNever = Clock::time_point::max();

AnswerFrame make_frame(const ServedModel& model, const PreparedGeneration& prepared, std::int64_t created) {
  const bool chat = prepared.kind == GenerationKind::kChat;
  AnswerFrame frame;
  frame.kind = prepared.kind;
  frame.id = (chat ? "chatcmpl-" : "cmpl-") + random_hex_id();
  frame.model = prepared.model;
  frame.fingerprint = model.fingerprint;
  frame.created = created;
  frame.n_top_logprobs = prepared.params.sampling.n_top_logprobs;
  frame.return_token_ids = prepared.params.return_token_ids;
  frame.include_usage = prepared.params.include_usage;
  frame.tokenizer = model.tokenizer.get();
  return frame;
}

}  // namespace

GenerationAnswer::GenerationAnswer(Exchange& exchange, Service& service, const PreparedGeneration& prepared,
                                   std::shared_ptr<GenerationRun> run)
    : exchange_(exchange),
      service_(service),
      prepared_(prepared),
      run_(std::move(run)),
      frame_(make_frame(*service.loaded()->model, prepared, service.clock().unix_seconds())),
      sse_(exchange.framing()),
      progress_(run_->choices().size()) {}

net::awaitable<AnswerEnd> GenerationAnswer::refuse() {
  co_await exchange_.refuse(*run_->failure());
  co_return AnswerEnd::kFailed;
}

net::awaitable<AnswerEnd> GenerationAnswer::whole() {
  while (!run_->ended() && !run_->failure()) {
    run_->look();
    co_await run_->wait_for_news(kNever);
  }
  if (run_->failure()) co_return co_await refuse();
  std::vector<ChoiceAnswer> answers;
  for (const auto& choice : run_->choices()) {
    TextPiece piece = choice->text.take();
    for (TokenEntry& entry : choice->text.take_rest()) piece.tokens.push_back(std::move(entry));
    answers.push_back({std::move(piece.text), std::move(piece.tokens), end_with_timings(*choice), &choice->prompt_ids,
                       choice->prompt_scores});
  }
  Answer answer;
  answer.body = whole_answer(frame_, answers, run_->usage(), top_timings());
  const bool delivered = co_await exchange_.answer(std::move(answer));
  co_return delivered ? AnswerEnd::kWhole : AnswerEnd::kGone;
}

net::awaitable<AnswerEnd> GenerationAnswer::stream() {
  while (!run_->started() && !run_->failure()) {
    run_->look();
    co_await run_->wait_for_news(kNever);
  }
  if (prepared_.deadline && service_.clock().now() >= *prepared_.deadline) {  // the step that gave the first token was too long
    run_->fail({Errc::kDeadlineExceeded, "the deadline of the request has passed", ""});
  }
  if (run_->failure()) co_return co_await refuse();
  const auto ping = service_.options().sse_ping;
  for (;;) {
    run_->look();
    if (run_->overflowed()) co_return AnswerEnd::kSlowReader;
    if (run_->failure()) {
      event(StreamEvent::kError, error_body(*run_->failure()));
      exchange_.close_after();
      const AnswerEnd end = co_await send(true);
      co_return end == AnswerEnd::kWhole ? AnswerEnd::kFailed : end;
    }
    add_frames();
    const bool last = run_->ended();
    if (last) add_last_frames();
    const AnswerEnd end = co_await send(last);
    if (last || end != AnswerEnd::kWhole) co_return end;
    const auto quiet_until = ping.count() == 0 ? kNever : service_.clock().now() + ping;
    co_await run_->wait_for_news(quiet_until);
    if (service_.clock().now() >= quiet_until) {
      sse_.ping();
      service_.metrics().stream_event(StreamEvent::kPing);
    }
  }
}

// One write for everything that is ready. kWhole: it was taken.
net::awaitable<AnswerEnd> GenerationAnswer::send(bool last) {
  std::string bytes = sse_.take();
  if (last) bytes += sse_.end();
  if (bytes.empty()) co_return AnswerEnd::kWhole;
  const bool first = exchange_.status() == 0;
  if (first) first_write_ = service_.clock().now();  // the client may have it before the write returns
  const auto end = first ? co_await exchange_.begin_stream(bytes) : co_await exchange_.write(bytes);
  if (end != Connection::WriteEnd::kAll && run_->overflowed()) {
    SseWriter last_words(exchange_.framing());
    last_words.event(error_body({Errc::kSlowReader, "the client took the answer too slowly", ""}));
    exchange_.connection()->try_write(last_words.take().append(last_words.end()));
    service_.metrics().stream_event(StreamEvent::kError);
  }
  co_return end_of(end);
}

AnswerEnd GenerationAnswer::end_of(Connection::WriteEnd end) const {
  if (end == Connection::WriteEnd::kAll) return AnswerEnd::kWhole;
  if (end == Connection::WriteEnd::kStalled || run_->overflowed()) return AnswerEnd::kSlowReader;
  return AnswerEnd::kGone;
}

void GenerationAnswer::event(StreamEvent kind, const std::string& json) {
  sse_.event(json);
  service_.metrics().stream_event(kind);
}

void GenerationAnswer::add_frames() {
  for (std::size_t i = 0; i < progress_.size(); ++i) add_choice_frames(static_cast<int>(i), *run_->choices()[i]);
}

void GenerationAnswer::add_choice_frames(int index, LiveChoice& choice) {
  Progress& progress = progress_[static_cast<std::size_t>(index)];
  if (progress.finished || (!choice.has_token && !choice.ended)) return;
  if (!progress.begun && frame_.kind == GenerationKind::kChat) {
    event(StreamEvent::kRole, role_chunk(frame_, index, extras(index)));
    progress.begun = true;
  }
  if (const TextPiece piece = choice.text.take(); !piece.text.empty()) {
    event(StreamEvent::kContent, content_chunk(frame_, index, piece, extras(index)));
    progress.begun = true;
  }
  if (!choice.ended) return;
  const auto rest = choice.text.take_rest();
  ChunkExtras with_timings = extras(index);
  if (!frame_.include_usage) with_timings.timings = top_timings();  // this is the last chunk
  event(StreamEvent::kFinish, finish_chunk(frame_, index, rest, end_with_timings(choice), with_timings));
  progress = {.begun = true, .finished = true};
}

void GenerationAnswer::add_last_frames() {
  if (frame_.include_usage) event(StreamEvent::kUsage, usage_chunk(frame_, run_->usage(), top_timings()));
  sse_.done();
  service_.metrics().stream_event(StreamEvent::kDone);
}

ChunkExtras GenerationAnswer::extras(int index) const {
  const LiveChoice& choice = *run_->choices()[static_cast<std::size_t>(index)];
  ChunkExtras extras;
  if (frame_.return_token_ids && !progress_[static_cast<std::size_t>(index)].begun) extras.prompt_ids = &choice.prompt_ids;
  if (prepared_.params.continuous_usage) extras.running_usage = run_->usage();
  return extras;
}

std::optional<Timings> GenerationAnswer::timings_of(const LiveChoice& choice) const {
  if (!prepared_.params.include_timings) return {};
  return make_timings({exchange_.arrival(), exchange_.arrival_raw_ns(), prepared_.parsed, prepared_.tokenized, first_write_},
                      choice);
}

std::optional<Timings> GenerationAnswer::top_timings() const {
  const auto& choices = run_->choices();
  return choices.size() == 1 ? timings_of(*choices.front()) : std::nullopt;
}

ChoiceEnd GenerationAnswer::end_with_timings(const LiveChoice& choice) const {
  ChoiceEnd end = choice.end;
  if (run_->choices().size() > 1) end.timings = timings_of(choice);
  return end;
}

void GenerationAnswer::log_end(Outcome outcome) const {
  const Usage usage = run_->usage();
  const auto& choices = run_->choices();
  const LiveChoice& first = *choices.front();
  const std::string_view reason = first.ended ? first.end.finish_reason : "none";
  logger("http")->info("id={} request_id={} status={} outcome={} finish={} choices={} prompt={} cached={} output={} {}",
                       frame_.id, exchange_.request_id(), exchange_.status(), outcome_label(outcome), reason, choices.size(),
                       usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens,
                       log_times(exchange_.arrival(), service_.clock().now(), first));
}

}  // namespace mie::api
