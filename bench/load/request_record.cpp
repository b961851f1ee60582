#include "bench/load/request_record.h"

#include <cstddef>

namespace mie::bench {
namespace {

struct Known {
  std::string_view name, meaning;
};

// In the order of RequestStatus.
constexpr std::array<Known, kStatuses.size()> kKnown = {{
    {"ok", "the answer came whole, its counts agree and its checks pass"},
    {"truncated_by_length", "as ok, but ended by the token limit although an exact length was not asked for"},
    {"rejected_429", "refused: the queue is full"},
    {"rejected_503", "refused: the server loads or drains"},
    {"http_4xx", "another status from 400 to 499"},
    {"http_5xx", "another status from 500"},
    {"connect_error", "no connection"},
    {"reset", "the connection was lost before the answer began to stream"},
    {"client_timeout", "given up by the client's own limit"},
    {"deadline_server", "given up by the server at its deadline"},
    {"cancelled_by_client", "broken off on purpose, as the workload wants"},
    {"stream_error", "an error inside the stream"},
    {"stream_truncated", "the stream ended without its end and without an error"},
    {"bad_json", "what came is not JSON"},
    {"bad_content", "no token, or a field of the wrong type"},
    {"count_mismatch", "usage says another number of tokens than the events carried"},
    {"wrong_answer", "other tokens than expected"},
    {"not_sent", "held back: one too many in flight, or the run was stopped before its turn"},
}};

const Known& known(RequestStatus status) { return kKnown[static_cast<std::size_t>(status)]; }

}  // namespace

std::string_view name_of(RequestStatus status) { return known(status).name; }

std::string_view meaning_of(RequestStatus status) { return known(status).meaning; }

std::optional<RequestStatus> status_named(std::string_view name) {
  for (const RequestStatus status : kStatuses) {
    if (name_of(status) == name) return status;
  }
  return {};
}

std::string_view name_of(TokenSource source) {
  switch (source) {
    case TokenSource::kNone:
      break;
    case TokenSource::kTokenIds:
      return "token_ids";
    case TokenSource::kUsage:
      return "usage";
    case TokenSource::kOnePerEvent:
      return "one_per_event";
  }
  return "none";
}

}  // namespace mie::bench
