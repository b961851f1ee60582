// What the known-answer server is to answer, and when: the figures of such an answer are known before it is measured.
// Values; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mie::bench {

// What a request asked for.
struct AskedRequest {
  int nth = 0;  // in the order of arrival, from 0
  std::uint64_t seed = 0;
  int prompt_tokens = 0;  // ids; of a text its words
  int max_tokens = 0;
  bool chat = false;
  bool stream = false;
  bool include_usage = false;
  bool continuous_usage = false;
  bool token_ids = false;
};

enum class AnswerFault : std::uint8_t {
  kNone,
  kStatus,       // `http_status` with an error body
  kReset,        // the connection is reset after the planned events; with none of them before the status line
  kClose,        // as kReset, with an orderly end
  kSilence,      // nothing after the planned events, and no end
  kErrorFrame,   // an error frame after the planned events, its code in `code`
  kNoDone,       // a whole HTTP answer whose stream lacks [DONE]
  kNotJson,      // an event that is no JSON
  kWrongTypes,   // an event with a number for text
  kNoTokens,     // a whole stream without a token
  kUsageOff,     // usage says one token more than was sent
  kOtherTokens,  // other ids than known_token gives
  kNotHttp,
};

struct PlannedEvent {
  std::chrono::nanoseconds gap{0};  // since the event before it was written; of the first: since the request had been read
  int tokens = 1;
};

struct AnswerPlan {
  std::vector<PlannedEvent> events{};
  AnswerFault fault = AnswerFault::kNone;
  int http_status = 200;
  std::string code{};
  int retry_after_s = 0;  // 0: not sent
  std::string finish = "length";
  bool comments = false;  // a ping before each event
};

using AnswerPolicy = std::function<AnswerPlan(const AskedRequest&)>;

// `n` events of one token, `gap` apart.
[[nodiscard]] inline AnswerPlan paced_answer(int n, std::chrono::nanoseconds gap) {
  return {.events = std::vector<PlannedEvent>(static_cast<std::size_t>(n), PlannedEvent{.gap = gap})};
}

// The k-th token of the answer to a seed.
[[nodiscard]] inline std::int32_t known_token(std::uint64_t seed, int k) {
  return 1000 + static_cast<std::int32_t>((seed * 31 + static_cast<std::uint64_t>(k)) % 997);
}

}  // namespace mie::bench
