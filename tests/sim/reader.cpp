#include "tests/sim/reader.h"

#include <algorithm>
#include <utility>

namespace mie::sim {
namespace {

constexpr std::uint64_t kFirstReader = 4'000'000;  // streams of the seed

Outcome outcome_of(const Finish& finish) {
  switch (finish.reason) {
    case FinishReason::kStop:
    case FinishReason::kLength:
      return Outcome::kComplete;
    case FinishReason::kDeadline:
      return Outcome::kDeadline;
    case FinishReason::kCancelled:
      return finish.error && finish.error->code == Errc::kRequestAborted ? Outcome::kAborted : Outcome::kShutdown;
    case FinishReason::kError:
      break;
  }
  return Outcome::kError;
}

bool stops(const Request& request, TokenId token) {
  return std::find(request.stop_ids.begin(), request.stop_ids.end(), token) != request.stop_ids.end();
}

}  // namespace

Reader::Reader(Stage& stage, std::shared_ptr<TokenStream> stream, const ClientScript& client, const Request& request,
               RightAnswer right, int strand)
    : stage_(stage),
      stream_(std::move(stream)),
      client_(client),
      request_(request),
      rank_(stage.clock.now() + request.priority * stage.engine.options().priority_ageing),
      right_(std::move(right)),
      strand_(strand),
      random_(stage.seed,
              kFirstReader + 16 * static_cast<std::uint64_t>(client.number) + static_cast<std::uint64_t>(request.choice)) {}

net::awaitable<void> Reader::run() {
  while (!finish_) {
    TokenBatch batch = co_await stream_->next();
    if (woken_) co_return;
    take(std::move(batch));
    if (!finish_ && client_.enough && n_read_ >= *client_.enough && !released()) {
      release(Outcome::kComplete, n_read_);
      done_ = true;
      co_return;
    }
    pause();
  }
  judge_end();
  const bool forgets = stage_.planted == PlantedBug::kForgottenRelease && client_.number % 8 == 3;
  if (!forgets) release(outcome_of(*finish_), n_read_);
  done_ = true;
}

void Reader::leave() { release(Outcome::kClientGone, 0); }

void Reader::wake() {
  woken_ = true;
  stream_->push({.finish = Finish{.reason = FinishReason::kError}});
}

int Reader::n_common_blocks(const Reader& other, int block_size) const {
  std::size_t n = 0;
  while (token(n) && token(n) == other.token(n)) ++n;
  return static_cast<int>(n) / block_size;
}

std::optional<TokenId> Reader::token(std::size_t place) const {
  const std::size_t n_prompt = request_.prompt.size();
  if (place < n_prompt) return request_.prompt[place];
  return place < n_prompt + right_.tokens.size() ? std::optional(right_.tokens[place - n_prompt]) : std::nullopt;
}

void Reader::take(TokenBatch batch) {
  stage_.digest.add(id().value(), batch.tokens.size(), batch.finish ? 1 + static_cast<int>(batch.finish->reason) : 0);
  if (batch.tokens.empty() && batch.prompt.empty() && !batch.finish) tell("an empty batch");
  if (!batch.prompt.empty() && n_read_ > 0) tell("a score of the prompt after the first token");
  for (const Sampled& score : batch.prompt) take_score(score);
  ++n_batches_;
  bool lost = stage_.planted == PlantedBug::kLostToken && n_batches_ % 5 == 4;
  for (const Sampled& sampled : batch.tokens) {
    if (!std::exchange(lost, false)) take_token(sampled.token);
  }
  finish_ = std::move(batch.finish);
}

void Reader::take_token(TokenId token) {
  stage_.digest.add(token.value());
  const auto place = static_cast<std::size_t>(n_read_++);
  if (place >= right_.tokens.size()) {
    tell("a token after the last");
  } else if (right_.tokens[place] != token) {
    tell("token " + std::to_string(place) + " is " + std::to_string(token.value()) + ", right is " +
         std::to_string(right_.tokens[place].value()));
  }
}

void Reader::take_score(const Sampled& score) {
  const auto same = [](const Sampled& a, const Sampled& b) {
    const auto equal = [](const TopLogprob& x, const TopLogprob& y) { return x.token == y.token && x.logprob == y.logprob; };
    return a.token == b.token && a.logprob == b.logprob && a.rank == b.rank && std::ranges::equal(a.top, b.top, equal);
  };
  const auto place = static_cast<std::size_t>(n_scores_++);
  if (place >= right_.scores.size() || !same(score, right_.scores[place]))
    tell("score " + std::to_string(place) + " of the prompt is wrong, doubled or out of order");
}

void Reader::judge_end() {
  if (const std::string wrong = wrong_end(); !wrong.empty()) tell("ends wrongly: " + wrong);
  if (!stamps_ascend()) tell("its stamps do not ascend");
}

std::string Reader::wrong_end() const {
  const Finish& finish = *finish_;
  const bool complete = n_read_ == std::ssize(right_.tokens) && n_scores_ == std::ssize(right_.scores);
  const bool stopped = !right_.tokens.empty() && stops(request_, right_.tokens.back());
  const auto code = finish.error ? std::optional(finish.error->code) : std::nullopt;
  switch (finish.reason) {
    case FinishReason::kStop:
      return complete && stopped && !code && finish.stop_id == right_.tokens.back() ? "" : "stop";
    case FinishReason::kLength:
      return complete && !stopped && !code ? "" : "length";
    case FinishReason::kDeadline:
      return wrong_deadline();
    case FinishReason::kCancelled:
      return wrong_cancel();
    case FinishReason::kError:
      if (code == Errc::kModelError) return stage_.n_failed_steps > 0 ? "" : "a model error without a fault";
      return code == Errc::kUnhealthy && stage_.may_be_lost ? "" : "an error without a fault";
  }
  return "no reason";
}

// At its deadline or, by a plan, before it.
std::string Reader::wrong_deadline() const {
  const Finish& finish = *finish_;
  if (!request_.deadline || !finish.error || finish.error->code != Errc::kDeadlineExceeded) return "deadline";
  return finish.times.finished >= *request_.deadline || stage_.given_up.contains(stream_->id()) ? "" : "before its deadline";
}

std::string Reader::wrong_cancel() const {
  if (!finish_->error) return "cancelled without an error";
  switch (finish_->error->code) {
    case Errc::kRequestAborted:
      return released() ? "" : "aborted, and nobody asked for it";
    case Errc::kDraining:
      return stage_.draining && n_read_ == 0 && !finish_->times.admitted ? "" : "drained, but had begun or nothing drains";
    case Errc::kServerShutdown:
      return stage_.drain_expired ? "" : "shut down, and nothing shuts down";
    default:
      return "cancelled with another error";
  }
}

// Each that is set is not before those set before it.
bool Reader::stamps_ascend() const {
  const RequestTimes& times = finish_->times;
  Clock::time_point last = times.arrival;
  for (const auto& stamp : {std::optional(times.enqueued), times.admitted, times.prefill_end, times.first_token,
                            times.last_token, times.finished}) {
    if (stamp && *stamp < last) return false;
    last = stamp.value_or(last);
  }
  return times.finished.has_value();
}

// The first one counts; the others must do nothing.
void Reader::release(Outcome outcome, int n_delivered) {
  stage_.engine.release(id(), outcome, n_delivered);
  if (released()) return;
  released_in_ = stage_.mail_turn;
  if (outcome == Outcome::kComplete) n_delivered_ = n_delivered;
  stage_.digest.add(stage_.turn, id().value(), static_cast<int>(outcome));
}

void Reader::pause() {
  if (stage_.calm || client_.longest_pause == 0 || !random_.chance(client_.pause_percent)) return;
  stage_.strands.freeze(strand_, stage_.turn + random_.between(1, client_.longest_pause));
}

void Reader::tell(const std::string& what) { stage_.tell("request " + std::to_string(id().value()) + ": " + what); }

}  // namespace mie::sim
