// Answers prompts greedily through the real engine and scheduler, all submitted at once. Test code.
#pragma once

#include "core/engine/token_stream.h"
#include "core/sched/make_scheduler.h"
#include "models/model_runner.h"

#include <span>
#include <vector>

namespace mie::test {

struct EngineSetup {
  SchedulerKind scheduler = SchedulerKind::kContinuous;
  StepLimits limits;
  int n_blocks = 0, block_size = 16;
  int max_model_len = 0;
};

struct Answer {
  std::vector<TokenId> tokens;
  Finish finish;
};

// n_new tokens for each prompt, nothing stops early. REQUIRES: a runner of the setup's n_blocks and block_size.
[[nodiscard]] std::vector<Answer> answer(ModelRunner& runner, const EngineSetup& setup,
                                         std::span<const std::vector<TokenId>> prompts, int n_new);

}  // namespace mie::test
