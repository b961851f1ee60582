// A run of two loads of two requests each, as it would have gone: prompts of 10 tokens, answers of 3. Test code.
#pragma once

#include "bench/result/run_result.h"
#include "tests/bench/made_records.h"

#include <vector>

namespace mie::bench::test {

// At `at` seconds: tokens 0.1, 0.2 and 0.3 s after it.
[[nodiscard]] inline RequestRecord made_answer(int index, int repetition, double at) {
  RequestRecord record =
      answered({.intended = at, .send = at + 0.001, .tokens = {{at + 0.1, 1}, {at + 0.2, 1}, {at + 0.3, 1}}, .end = at + 1.1});
  record.index = index;
  record.repetition = repetition;
  record.finish_reason = "length";
  record.prompt_tokens = record.planned_prompt = 10;
  record.output_tokens = record.requested_output = 3;
  record.tokens = {TokenId(index), TokenId(5), TokenId(6)};
  return record;
}

[[nodiscard]] inline RunResult made_run() {
  RunResult run;
  run.run_id = new_run_id();
  run.created_utc = "2026-01-02T03:04:05Z";
  run.command_line = {"mie", "bench", "run", "made.toml"};
  run.spec.name = "made";
  run.spec.repetitions.n = 2;
  run.expanded_sha256 = std::string(64, 'e');
  run.arms.push_back({});
  for (int repetition = 0; repetition < 2; ++repetition) {
    const double at = 10.0 * repetition;
    run.records.push_back(made_answer(0, repetition, at + 1.0));
    run.records.push_back(made_answer(1, repetition, at + 1.5));
    Repetition load;
    load.number = repetition;
    load.began_ns = ns(at + 1.0);
    load.ended_ns = ns(at + 2.6) + 1;
    load.before = {{"vllm:prompt_tokens_total", 7}, {"vllm:generation_tokens_total", 0}};
    load.after = {{"vllm:prompt_tokens_total", 27}, {"vllm:generation_tokens_total", 6}, {"vllm:request_success_total", 2}};
    run.repetitions.push_back(std::move(load));
  }
  return run;
}

}  // namespace mie::bench::test
