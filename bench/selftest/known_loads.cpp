#include "bench/selftest/known_loads.h"

#include <algorithm>
#include <cstdint>

namespace mie::bench {

std::vector<PlannedRequest> known_requests(int n, int tokens, std::chrono::nanoseconds gap) {
  std::vector<PlannedRequest> out(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    PlannedRequest& one = out[static_cast<std::size_t>(i)];
    one.index = one.session = i;
    one.intended = gap * i;
    one.prompt.assign(kKnownPromptTokens, TokenId(7));
    one.output_tokens = tokens;
    one.seed = static_cast<std::uint64_t>(i);
  }
  return out;
}

LoadSettings known_settings(const KnownAnswerServer& server) {
  LoadSettings out;
  out.url = server.url();
  out.model = "known";
  out.timeout = std::chrono::seconds(30);
  return out;
}

LoadResult run_known(LoadSettings settings, std::vector<PlannedRequest> requests) {
  auto result = run_load(std::move(settings), std::move(requests));
  if (result.has_error()) return {};
  return std::move(*result);
}

AnswerPolicy paced_policy(std::chrono::nanoseconds gap) {
  return [gap](const AskedRequest& asked) { return paced_answer(asked.max_tokens, gap); };
}

int count_of(std::span<const RequestRecord> records, RequestStatus status) {
  return static_cast<int>(
      std::count_if(records.begin(), records.end(), [status](const RequestRecord& record) { return record.status == status; }));
}

}  // namespace mie::bench
