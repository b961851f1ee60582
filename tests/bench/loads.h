// Loads for the client's tests: planned requests and settings for a known-answer server. Test code.
#pragma once

#include "bench/load/load_run.h"
#include "bench/selftest/known_answer_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mie::bench::test {

using namespace std::chrono_literals;

constexpr auto kPatience = 10s;  // of a client that is not to time out

// `n` requests for `tokens` tokens each, `gap` apart; the seed is the index.
inline std::vector<PlannedRequest> planned(int n, int tokens, std::chrono::nanoseconds gap = 0ns) {
  std::vector<PlannedRequest> out(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    PlannedRequest& one = out[static_cast<std::size_t>(i)];
    one.index = one.session = i;
    one.intended = gap * i;
    one.prompt = {TokenId(1), TokenId(2), TokenId(3)};
    one.output_tokens = tokens;
    one.seed = static_cast<std::uint64_t>(i);
  }
  return out;
}

inline LoadSettings settings_for(const KnownAnswerServer& server) {
  LoadSettings out{.url = server.url()};
  out.model = "known";
  out.timeout = kPatience;
  return out;
}

// Whatever is asked for, one token an event.
inline AnswerPolicy paced(std::chrono::nanoseconds gap) {
  return [gap](const AskedRequest& asked) { return paced_answer(asked.max_tokens, gap); };
}

inline LoadResult loaded(LoadSettings settings, std::vector<PlannedRequest> requests) {
  auto result = run_load(std::move(settings), std::move(requests));
  if (result.has_error()) {
    ADD_FAILURE() << result.error().message;
    return {};
  }
  return std::move(*result);
}

inline std::unique_ptr<LoadRun> prepared(LoadSettings settings, std::vector<PlannedRequest> requests) {
  auto run = LoadRun::prepare(std::move(settings), std::move(requests));
  EXPECT_TRUE(run.has_value());
  return std::move(*run);
}

inline int n_with(const LoadResult& result, RequestStatus status) {
  int n = 0;
  for (const RequestRecord& record : result.records) n += record.status == status ? 1 : 0;
  return n;
}

}  // namespace mie::bench::test
