#include "bench/selftest/serve.h"

#include "bench/selftest/known_answer_server.h"

#include <cstdio>

namespace mie::bench {

namespace {

constexpr int kPhases = 8;

}  // namespace

void serve_known_answers(const Pace& pace) {
  const KnownAnswerServer server({.policy = [pace](const AskedRequest& asked) {
    AnswerPlan plan = paced_answer(asked.max_tokens, pace.gap);
    if (!plan.events.empty()) plan.events.front().gap = pace.first + pace.gap * (asked.nth % kPhases) / kPhases;
    return plan;
  }});
  std::printf("%s\n", server.url().c_str());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
}

}  // namespace mie::bench
