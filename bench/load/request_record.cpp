#include "bench/load/request_record.h"

#include <algorithm>
#include <cstddef>

namespace mie::bench {
namespace {

constexpr std::array<std::string_view, kStatuses.size()> kNames = {"ok",
                                                                   "truncated_by_length",
                                                                   "rejected_429",
                                                                   "rejected_503",
                                                                   "http_4xx",
                                                                   "http_5xx",
                                                                   "connect_error",
                                                                   "reset",
                                                                   "client_timeout",
                                                                   "deadline_server",
                                                                   "cancelled_by_client",
                                                                   "stream_error",
                                                                   "stream_truncated",
                                                                   "bad_json",
                                                                   "bad_content",
                                                                   "count_mismatch",
                                                                   "wrong_answer",
                                                                   "not_sent"};

}  // namespace

std::string_view name_of(RequestStatus status) { return kNames[static_cast<std::size_t>(status)]; }

std::optional<RequestStatus> status_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return {};
  return kStatuses[static_cast<std::size_t>(found - kNames.begin())];
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
