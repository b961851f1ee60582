#include "server/record/replay.h"

#include "server/record/record_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace mie {

RecordedAnswers answers_of(const Record& record) {
  RecordedAnswers answers;
  std::unordered_set<RequestId> released;
  for (const RecordEvent& event : record.events) {
    if (event.kind == RecordEvent::Kind::kReleased) released.insert(event.id);
    if (event.kind != RecordEvent::Kind::kEnded) continue;
    const bool by_itself = event.reason == FinishReason::kStop || event.reason == FinishReason::kLength;
    answers[event.id] = {.reason = event.reason, .cut = !by_itself || released.contains(event.id), .tokens = event.tokens};
  }
  return answers;
}

void compare_answer(RequestId id, const RecordedAnswer& recorded, const std::vector<TokenId>& tokens,
                    std::optional<FinishReason> reason, ReplayOutcome& outcome) {
  ++outcome.n_requests;
  outcome.n_tokens += std::ssize(recorded.tokens);
  const auto [was, is] = std::mismatch(recorded.tokens.begin(), recorded.tokens.end(), tokens.begin(), tokens.end());
  const auto at = was - recorded.tokens.begin();
  if (was != recorded.tokens.end() && is != tokens.end()) {
    outcome.differ(fmt::format("request {}: output token {} is {}, was {}", id.value(), at, is->value(), was->value()));
  } else if (was != recorded.tokens.end()) {
    outcome.differ(fmt::format("request {}: ends after {} tokens, had {}", id.value(), tokens.size(), recorded.tokens.size()));
  } else if (!recorded.cut && is != tokens.end()) {
    outcome.differ(fmt::format("request {}: goes on after its {} tokens with {}", id.value(), at, is->value()));
  } else if (!recorded.cut && reason != recorded.reason) {
    outcome.differ(fmt::format("request {}: ends by {}, did by {}", id.value(), reason ? word_of(*reason) : "nothing",
                               word_of(recorded.reason)));
  }
}

}  // namespace mie
