#include "server/api/generation.h"

#include "server/api/error_body.h"
#include "server/api/generation_answer.h"
#include "server/api/generation_run.h"
#include "server/http_metrics.h"
#include "server/race.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <charconv>

namespace mie::api {
namespace {

constexpr std::size_t kSlowLaneBytes = std::size_t{64} << 10U;  // larger bodies are parsed off the I/O thread

// Failures that need no body: the state of the server, then the head, then a queue that is full already.
std::optional<Error> state_error(const Service& service) {
  if (service.phase() == Phase::kDraining) return Error{Errc::kDraining, "the server is shutting down", ""};
  if (service.phase() == Phase::kLoading) return Error{Errc::kLoading, "the model is being loaded", ""};
  if (service.loaded()->engine->health().state != EngineHealth::State::kOk) {
    return Error{Errc::kUnhealthy, "the model does not answer", ""};
  }
  return {};
}

std::optional<Error> head_error(const RequestHead& head, const ServerOptions& options) {
  const auto* type = head.find("Content-Type");
  if (type == nullptr && head.find("Origin") != nullptr) {
    return Error{Errc::kUnsupportedMediaType, "Content-Type must be application/json", "Content-Type"};
  }
  if (type != nullptr) {
    auto media = std::string_view(*type).substr(0, type->find(';'));
    while (media.ends_with(' ')) media.remove_suffix(1);
    if (!same_name(media, "application/json")) {
      return Error{Errc::kUnsupportedMediaType, "Content-Type must be application/json", "Content-Type"};
    }
  }
  const auto* coding = head.find("Content-Encoding");
  if (coding != nullptr && !same_name(*coding, "identity")) {
    return Error{Errc::kUnsupportedMediaType, "Content-Encoding must be identity or absent", "Content-Encoding"};
  }
  const auto* length = head.find("Content-Length");  // digits, checked with the head
  if (length != nullptr && std::stoull(*length) > options.max_body_bytes) {
    return Error{Errc::kBodyTooLarge, "body limit is " + std::to_string(options.max_body_bytes) + " bytes", ""};
  }
  const auto* expect = head.find("Expect");
  if (expect != nullptr && !same_name(*expect, "100-continue")) {
    return Error{Errc::kExpectationFailed, "Expect must be 100-continue or absent", "Expect"};
  }
  return {};
}

std::optional<Error> queue_error(const Loaded& loaded) {
  const EngineHealth health = loaded.engine->health();
  const EngineOptions& options = loaded.engine->options();
  if (health.n_waiting < options.max_queue && health.waiting_tokens < options.max_queue_tokens) return {};
  return Error{Errc::kQueueFull, "too many requests are waiting", ""};
}

std::optional<Error> early_error(const Exchange& exchange, const Service& service) {
  if (auto error = state_error(service)) return error;
  if (auto error = head_error(exchange.head(), service.options())) return error;
  return queue_error(*service.loaded());
}

// Unset: no such header.
Result<std::optional<std::chrono::milliseconds>> header_timeout(const RequestHead& head) {
  const auto* text = head.find("X-Request-Timeout-Ms");
  if (text == nullptr) return std::optional<std::chrono::milliseconds>{};
  std::int64_t value = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), value);
  if (read.ec != std::errc{} || read.ptr != text->data() + text->size() || value < 1) {
    return Error{Errc::kInvalidValue, "X-Request-Timeout-Ms must be an integer of at least 1, got " + json::shown(*text),
                 "X-Request-Timeout-Ms"};
  }
  return std::optional(std::chrono::milliseconds(value));
}

std::optional<Error> set_deadline(const Exchange& exchange, const Service& service, PreparedGeneration& prepared) {
  const auto header = header_timeout(exchange.head());
  if (header.has_error()) return header.error();
  std::chrono::milliseconds limit = service.options().request_timeout;
  if (*header) limit = std::min(limit, **header);
  if (const auto ms = prepared.params.timeout_ms) limit = std::min(limit, std::chrono::milliseconds(*ms));
  prepared.deadline = exchange.arrival() + limit;
  for (PreparedChoice& choice : prepared.choices) {
    choice.request.arrival = exchange.arrival();
    choice.request.deadline = prepared.deadline;
  }
  return {};
}

net::awaitable<Result<PreparedGeneration>> prepare_elsewhere(GenerationKind kind, std::string body,
                                                             const PrepareContext* context) {
  co_return prepare_generation(kind, std::move(body), *context);
}

net::awaitable<Result<PreparedGeneration>> prepare(Service& service, GenerationKind kind, std::string body) {
  const Loaded& loaded = *service.loaded();
  const PrepareContext context{*loaded.model, loaded.limits, service.clock(), service.seeds()};
  if (body.size() <= kSlowLaneBytes) co_return prepare_generation(kind, std::move(body), context);
  co_return co_await net::co_spawn(service.slow_lane(), prepare_elsewhere(kind, std::move(body), &context), net::use_awaitable);
}

net::awaitable<void> refuse(Exchange& exchange, RequestAccount& account, Error error) {
  account.refuse(error_row(error.code).code);
  co_await exchange.refuse(std::move(error));
}

Outcome outcome_of(Errc failure) {
  switch (failure) {
    case Errc::kDeadlineExceeded:
      return Outcome::kDeadline;
    case Errc::kRequestAborted:
      return Outcome::kAborted;
    case Errc::kSlowReader:
      return Outcome::kSlowReader;
    case Errc::kDraining:
    case Errc::kServerShutdown:
      return Outcome::kShutdown;
    default:
      return Outcome::kError;
  }
}

Outcome outcome_of(const std::optional<AnswerEnd>& end, const GenerationRun& run) {
  if (!end || *end == AnswerEnd::kGone) return Outcome::kClientGone;
  if (*end == AnswerEnd::kSlowReader) return Outcome::kSlowReader;
  return *end == AnswerEnd::kWhole ? Outcome::kComplete : outcome_of(run.failure()->code);
}

std::string_view disconnect_state(const GenerationRun& run) { return run.started() ? "decode" : "waiting"; }

// The rest of a request that the engine has taken.
net::awaitable<void> answer_accepted(Exchange& exchange, Service& service, PreparedGeneration& prepared,
                                     std::shared_ptr<GenerationRun> run, RequestAccount& account) {
  const Loaded& loaded = *service.loaded();
  service.metrics().params_n(prepared.params.n, loaded.model->names.front());
  GenerationAnswer answer(exchange, service, prepared, run);
  auto work = prepared.params.stream ? answer.stream() : answer.whole();
  const auto end = co_await race(std::move(work), exchange.connection()->peer_gone());
  const Outcome outcome = outcome_of(end, *run);
  if (outcome == Outcome::kClientGone) service.metrics().disconnect(disconnect_state(*run));
  if (outcome == Outcome::kComplete) service.retry().completed(service.clock().now() - exchange.arrival());
  if (outcome == Outcome::kClientGone || outcome == Outcome::kSlowReader) exchange.close_after();
  run->release(outcome);
  account.end(outcome);
  answer.log_end(outcome);
}

}  // namespace

net::awaitable<void> serve_generation(Exchange& exchange, Service& service, GenerationKind kind) {
  RequestAccount account(service.metrics(), kind);
  if (auto error = early_error(exchange, service)) co_return co_await refuse(exchange, account, *std::move(error));
  BodyOutcome received = co_await exchange.read_body();
  if (received.error) co_return co_await refuse(exchange, account, *std::move(received.error));
  if (!received.body) {
    service.metrics().disconnect("reading");
    account.refuse("client_gone");
    exchange.close_after();
    co_return;
  }
  auto prepared = co_await prepare(service, kind, *std::move(received.body));
  if (prepared.has_error()) co_return co_await refuse(exchange, account, prepared.error());
  if (auto error = set_deadline(exchange, service, *prepared)) co_return co_await refuse(exchange, account, *std::move(error));
  const Loaded& loaded = *service.loaded();
  const GenerationRun::Setup setup{*loaded.engine,        service.clock(),
                                   service.tasks(),       exchange.connection()->executor(),
                                   exchange.connection(), service.options().output_buffer_bytes};
  auto run = GenerationRun::submit(*loaded.model, *prepared, setup);
  if (run.has_error()) {
    Error error = run.error();
    if (error.code == Errc::kContextLengthExceeded) error.param = kind == GenerationKind::kChat ? "messages" : "prompt";
    co_return co_await refuse(exchange, account, std::move(error));
  }
  account.accept();
  co_await answer_accepted(exchange, service, *prepared, *run, account);
}

}  // namespace mie::api
