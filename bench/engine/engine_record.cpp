// The half of EngineLoad that says what came of the requests, afterwards.
#include "bench/engine/engine_load.h"
#include "bench/load/sent_record.h"
#include "server/api/error_body.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mie::bench {
namespace {

constexpr int kOk = 200;

std::string_view word_of(FinishReason reason) {
  if (reason == FinishReason::kStop) return "stop";
  return reason == FinishReason::kLength ? "length" : "";
}

// The stream came to its end.
AnswerVerdict of_finish(const Finish& finish, int n_tokens, const LoadSettings& settings, int n_wanted) {
  if (finish.reason == FinishReason::kDeadline) return {RequestStatus::deadline_server, finish.error->message};
  if (finish.error) return {RequestStatus::stream_error, finish.error->message};
  if (n_tokens == 0 && n_wanted > 0) return {RequestStatus::bad_content, "no token"};
  if (settings.exact && n_tokens != n_wanted)
    return {RequestStatus::count_mismatch,
            "asked for exactly " + std::to_string(n_wanted) + " tokens, got " + std::to_string(n_tokens)};
  const bool cut = !settings.exact && finish.reason == FinishReason::kLength;
  return {cut ? RequestStatus::truncated_by_length : RequestStatus::ok};
}

}  // namespace

AnswerVerdict EngineLoad::verdict_of(std::size_t request) const {
  const Answer& answer = answers_[request];
  if (auto own = verdict_of_client(schedule_.of(static_cast<int>(request)).ending)) return *std::move(own);
  if (answer.refused) {
    const api::ErrorRow& row = api::error_row(answer.refused->code);
    return {refused_with(row.status, row.code), answer.refused->message};
  }
  return of_finish(*answer.finish, static_cast<int>(answer.tokens.size()), settings_, requests_[request].output_tokens);
}

RequestRecord EngineLoad::record_of(std::size_t request) const {
  const Answer& answer = answers_[request];
  const Exchange& exchange = schedule_.of(static_cast<int>(request));
  RequestRecord record = sent_record(requests_[request], exchange, settings_, schedule_.began_ns());
  AnswerVerdict verdict = verdict_of(request);
  record.status = verdict.status;
  record.error = std::move(verdict.error);
  if (answer.refused) record.http_status = api::error_row(answer.refused->code).status;
  record.prompt_tokens = answer.n_prompt;
  record.output_tokens = static_cast<int>(answer.tokens.size());
  record.events = answer.events;
  record.tokens = answer.tokens;
  if (exchange.first_ns != Exchange::kNever) {
    record.http_status = kOk;
    record.token_source = TokenSource::kTokenIds;
    record.status_ns = record.first_event_ns = exchange.first_ns - schedule_.began_ns();
  }
  if (answer.finish) {
    record.finish_reason = word_of(answer.finish->reason);
    record.cached_tokens = answer.finish->times.n_cached_tokens;
  }
  return record;
}

LoadResult EngineLoad::result() const {
  LoadResult out;
  out.began_ns = schedule_.began_ns();
  out.length_ns = ended_ns_ - out.began_ns;
  out.parse = ParseMode::kLive;
  if (schedule_.broken_off() != nullptr) out.broken_off = schedule_.broken_off();
  out.records.reserve(requests_.size());
  for (std::size_t i = 0; i < requests_.size(); ++i) out.records.push_back(record_of(i));
  out.client = client_figures(use_, schedule_.exchanges(), out.records);
  return out;
}

}  // namespace mie::bench
