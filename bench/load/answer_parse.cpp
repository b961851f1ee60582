#include "bench/load/answer_parse.h"

#include "bench/load/answer_framing.h"
#include "bench/load/sse_events.h"

#include <boost/beast/core/string.hpp>

#include <charconv>
#include <cstring>
#include <string>

namespace mie::bench {
namespace {

constexpr std::size_t kMostErrorBytes = 200;
constexpr int kOk = 200;

// Printable and short, whatever a server wrote.
std::string bounded(std::string_view text) {
  std::string out(text.substr(0, kMostErrorBytes));
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out;
}

// One answer as it is read, piece by piece.
class Reading final : public AnswerFraming {
 public:
  Reading(RequestRecord& record, EventReader& reader, bool streamed, std::string& pending)
      : AnswerFraming(pending), record_(record), reader_(reader), streamed_(streamed) {}

  void read(const AnswerPiece& piece) {
    at_ns_ = piece.at_ns;
    tokens_in_read_ = false;
    state_ = feed(piece.bytes);
    if (head_seen() && !record_.status_ns) record_.status_ns = at_ns_;
    record_.http_status = http_status();
  }
  void finish(bool closed) {
    if (closed && state_ == State::kReading && head_seen()) state_ = close();
    if (head_seen() && !events()) read_body();
  }

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] bool events() const { return streamed_ && http_status() == kOk; }
  [[nodiscard]] const std::optional<EventFacts::Kind>& fault() const { return fault_; }
  [[nodiscard]] const std::string& error_code() const { return error_code_; }
  [[nodiscard]] const TokenCount& count() const { return count_; }
  [[nodiscard]] bool has_usage() const { return has_usage_; }

 private:
  void on_field(std::string_view name, std::string_view value) override {
    if (!boost::beast::iequals(name, "retry-after")) return;
    double seconds = 0;  // the other form, a date, is not written by these servers
    if (std::from_chars(value.data(), value.data() + value.size(), seconds).ec == std::errc()) record_.retry_after_s = seconds;
  }
  void on_piece(std::string_view body) override {
    if (events()) {
      sse_.feed(body, [this](std::string_view event) { on_event(event); });
    } else {
      body_ += body;
    }
  }

  void on_event(std::string_view text) {
    if (!record_.first_event_ns) record_.first_event_ns = at_ns_;
    if (done_ || fault_) return;
    if (text == "[DONE]") {
      done_ = true;
      record_.end_ns = at_ns_;
      return;
    }
    const EventFacts facts = reader_.read(text);
    if (!take(facts)) return;
    const int tokens = count_.add(facts);
    if (tokens == 0) return;
    record_.events.push_back({at_ns_, tokens});
    if (tokens_in_read_) ++record_.coalesced;
    tokens_in_read_ = true;
  }

  void read_body() {
    if (body_.empty()) return;
    const EventFacts facts = reader_.read(body_);
    if (http_status() != kOk) {  // of an error, what it says where it says something
      const bool spoke = facts.kind == EventFacts::Kind::kError;
      record_.error = bounded(spoke ? facts.error : std::string_view(body_));
      if (spoke) error_code_ = facts.error_code;
      return;
    }
    if (take(facts)) count_.add(facts);
    done_ = state_ == State::kComplete;
  }

  bool take(const EventFacts& facts) {
    if (facts.kind != EventFacts::Kind::kAnswer) {
      fault_ = facts.kind;
      record_.error = bounded(facts.error);
      error_code_ = facts.error_code;
      return false;
    }
    record_.text += facts.text;
    if (!facts.finish_reason.empty()) record_.finish_reason = facts.finish_reason;
    record_.tokens.insert(record_.tokens.end(), reader_.token_ids().begin(), reader_.token_ids().end());
    if (facts.completion_tokens) {
      record_.output_tokens = *facts.completion_tokens;
      has_usage_ = true;
    }
    if (facts.prompt_tokens) record_.prompt_tokens = *facts.prompt_tokens;
    if (facts.cached_tokens) record_.cached_tokens = *facts.cached_tokens;
    if (facts.server) record_.server = facts.server;
    return true;
  }

  RequestRecord& record_;
  EventReader& reader_;
  bool streamed_;
  SseEvents sse_;
  TokenCount count_;
  std::string body_, error_code_;
  State state_ = State::kReading;
  std::int64_t at_ns_ = 0;
  bool tokens_in_read_ = false, done_ = false, has_usage_ = false;
  std::optional<EventFacts::Kind> fault_;
};

using Verdict = AnswerVerdict;

Verdict of_fault(EventFacts::Kind fault, const std::string& code) {
  if (fault == EventFacts::Kind::kBadJson) return {RequestStatus::bad_json};
  if (fault == EventFacts::Kind::kBadContent) return {RequestStatus::bad_content};
  return {code == "deadline_exceeded" ? RequestStatus::deadline_server : RequestStatus::stream_error};
}

Verdict of_whole(const RequestRecord& record, const Reading& reading, const AnswerRules& rules) {
  const int counted = reading.count().sum();
  if (counted == 0 && record.output_tokens == 0 && record.requested_output > 0) return {RequestStatus::bad_content, "no token"};
  if (reading.has_usage() && rules.streamed && counted != record.output_tokens)
    return {RequestStatus::count_mismatch,
            "usage says " + std::to_string(record.output_tokens) + " tokens, the events " + std::to_string(counted)};
  const int tokens = reading.has_usage() ? record.output_tokens : counted;
  if (rules.exact && tokens != record.requested_output)
    return {RequestStatus::count_mismatch,
            "asked for exactly " + std::to_string(record.requested_output) + " tokens, got " + std::to_string(tokens)};
  if (!rules.exact && record.finish_reason == "length") return {RequestStatus::truncated_by_length};
  return {RequestStatus::ok};
}

Verdict verdict_of(const RequestRecord& record, const Reading& reading, Ending ending, const AnswerRules& rules) {
  if (auto own = verdict_of_client(ending)) return *own;
  if (!reading.head_seen())
    return ending == Ending::kBroken ? Verdict{RequestStatus::bad_content, "not an HTTP answer"}
                                     : Verdict{RequestStatus::reset, "the connection was lost before an answer"};
  if (record.http_status != kOk) return {refused_with(record.http_status, reading.error_code())};
  if (reading.fault()) return of_fault(*reading.fault(), reading.error_code());
  if (reading.done()) return of_whole(record, reading, rules);
  if (ending == Ending::kReset) return {RequestStatus::reset, "the connection was lost"};
  if (reading.state() == AnswerFraming::State::kBroken && ending == Ending::kBroken)
    return {RequestStatus::bad_content, "malformed chunks"};
  return {RequestStatus::stream_truncated, "closed before the end of the answer"};
}

}  // namespace

std::optional<AnswerVerdict> verdict_of_client(Ending ending) {
  switch (ending) {
    case Ending::kNotSent:
      return Verdict{RequestStatus::not_sent, "the run ended before its turn"};
    case Ending::kDropped:
      return Verdict{RequestStatus::not_sent, "too many in flight"};
    case Ending::kConnectFailed:
      return Verdict{RequestStatus::connect_error};
    case Ending::kTimedOut:
      return Verdict{RequestStatus::client_timeout, "the client's timeout"};
    case Ending::kCancelled:
      return Verdict{RequestStatus::cancelled_by_client, "cancelled as planned"};
    case Ending::kStopped:
      return Verdict{RequestStatus::cancelled_by_client, "the run was stopped"};
    case Ending::kComplete:
    case Ending::kBroken:
    case Ending::kClosed:
    case Ending::kReset:
      break;
  }
  return {};
}

RequestStatus refused_with(int http_status, std::string_view code) {
  if (http_status == 429) return RequestStatus::rejected_429;
  if (http_status == 503) return RequestStatus::rejected_503;
  if (http_status == 504 && code == "deadline_exceeded") return RequestStatus::deadline_server;
  return http_status < 500 ? RequestStatus::http_4xx : RequestStatus::http_5xx;
}

void parse_answer(RequestRecord& record, std::span<const AnswerPiece> pieces, Ending ending, const AnswerRules& rules,
                  EventReader& reader) {
  std::string pending;
  Reading reading(record, reader, rules.streamed, pending);
  for (const AnswerPiece& piece : pieces)
    if (reading.state() == AnswerFraming::State::kReading) reading.read(piece);
  reading.finish(ending == Ending::kComplete || ending == Ending::kClosed);
  record.token_source = reading.count().source();
  Verdict verdict = verdict_of(record, reading, ending, rules);
  record.status = verdict.status;
  if (!verdict.error.empty()) record.error = std::move(verdict.error);
}

}  // namespace mie::bench
