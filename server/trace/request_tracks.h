// What each request of a step trace did when: the spans of its track. Pure function.
#pragma once

#include "server/trace/step_lines.h"

#include <string_view>
#include <vector>

namespace mie {

struct RequestSpan {
  std::string_view name;  // "queued", "prefill", "decode", "preempted"
  Clock::time_point begin, end;
  int n_tokens = 0;       // that were computed
  int n_recomputed = 0;   // of these, for the second time
  std::int64_t step = 0;  // the first one; 0 for queued and preempted
};

struct RequestTrack {
  RequestId id;
  std::vector<RequestSpan> spans;           // one after the other, none before the end of the one before it
  const RequestEvent* submitted = nullptr;  // null: before the trace begins, or lost
  const RequestEvent* first_token = nullptr;
  const RequestEvent* ended = nullptr;
};

// By id. They point into `lines`.
[[nodiscard]] std::vector<RequestTrack> request_tracks(const StepLines& lines);

}  // namespace mie
