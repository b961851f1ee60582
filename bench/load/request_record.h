// What came of one request, as a target saw it: stamps and counts, no figures yet (bench/metrics makes those). A line of
// requests.jsonl is one of these.
#pragma once

#include "bench/load/server_times.h"
#include "core/base/id.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mie::bench {

// How a request ended; the names in files are those of `name_of`.
enum class RequestStatus : std::uint8_t {
  ok,
  truncated_by_length,  // as ok, but ended by the token limit although an exact length was not asked for
  rejected_429,
  rejected_503,
  http_4xx,
  http_5xx,
  connect_error,
  reset,
  client_timeout,
  deadline_server,
  cancelled_by_client,
  stream_error,
  stream_truncated,
  bad_json,
  bad_content,
  count_mismatch,
  wrong_answer,
  not_sent,  // held back by the client: one too many in flight, or the run was stopped before its turn
};

inline constexpr std::array kStatuses = {RequestStatus::ok,
                                         RequestStatus::truncated_by_length,
                                         RequestStatus::rejected_429,
                                         RequestStatus::rejected_503,
                                         RequestStatus::http_4xx,
                                         RequestStatus::http_5xx,
                                         RequestStatus::connect_error,
                                         RequestStatus::reset,
                                         RequestStatus::client_timeout,
                                         RequestStatus::deadline_server,
                                         RequestStatus::cancelled_by_client,
                                         RequestStatus::stream_error,
                                         RequestStatus::stream_truncated,
                                         RequestStatus::bad_json,
                                         RequestStatus::bad_content,
                                         RequestStatus::count_mismatch,
                                         RequestStatus::wrong_answer,
                                         RequestStatus::not_sent};

// The answer came whole, and is what was asked for as far as that is known.
[[nodiscard]] constexpr bool succeeded(RequestStatus status) {
  return status == RequestStatus::ok || status == RequestStatus::truncated_by_length;
}

[[nodiscard]] std::string_view name_of(RequestStatus status);  // as the enumerator
[[nodiscard]] std::string_view meaning_of(RequestStatus status);
[[nodiscard]] std::optional<RequestStatus> status_named(std::string_view name);

// Where the number of tokens of an event was taken from.
enum class TokenSource : std::uint8_t { kNone, kTokenIds, kUsage, kOnePerEvent };

[[nodiscard]] std::string_view name_of(TokenSource source);  // "none", "token_ids", "usage", "one_per_event"

// An event that carries tokens.
struct TokenEvent {
  std::int64_t at_ns = 0;
  int tokens = 0;
};

// Nanoseconds from the start of the load (CLOCK_MONOTONIC_RAW, or the virtual clock of the simulated target); absent: did not
// happen.
struct RequestRecord {
  int index = 0;
  std::string arm;     // of a comparison; empty: the only one
  int repetition = 0;  // of the list
  bool warmup = false;
  int session = 0;
  int turn = 0;
  std::uint64_t seed = 0;

  RequestStatus status = RequestStatus::connect_error;
  int http_status = 0;  // 0: no answer
  std::string finish_reason;
  std::optional<double> retry_after_s;
  std::string error;  // bounded: the first 200 characters of what went wrong

  int requested_output = 0;
  int planned_prompt = 0;  // tokens of the spec, 0 when sent as text
  int prompt_tokens = 0;   // of usage
  int cached_tokens = 0;
  int output_tokens = 0;  // of usage
  TokenSource token_source = TokenSource::kNone;

  std::int64_t intended_ns = 0;           // closed loop: the moment it could be sent
  std::optional<std::int64_t> send_ns;    // the first byte written
  std::optional<std::int64_t> sent_ns;    // the last byte written
  std::optional<std::int64_t> status_ns;  // the response's head
  std::optional<std::int64_t> first_event_ns;
  std::vector<TokenEvent> events;
  std::optional<std::int64_t> end_ns;  // terminator or close
  std::optional<ServerTimes> server;   // what the server tells of it, where it was asked to

  int connection = 0;
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
  int coalesced = 0;            // token events that shared a read with an earlier one
  std::vector<TokenId> tokens;  // where the answer carries ids
  std::string text;
  bool keeps_text = false;  // the text is written, not its hash alone
};

}  // namespace mie::bench
