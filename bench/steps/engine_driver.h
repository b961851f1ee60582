// Answers prompts through the real engine and scheduler, all submitted at once.
#pragma once

#include "core/engine/token_stream.h"
#include "core/sched/make_scheduler.h"
#include "models/model_runner.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mie::bench {

struct DriveSetup {
  SchedulerKind scheduler = SchedulerKind::kContinuous;
  StepLimits limits;
  int n_blocks = 0, block_size = 16;
  int max_model_len = 0;
  bool keep_kv = true;
  bool prefix_caching = true;
  int n_drafts = 0;
  int n_choices = 1;  // of each prompt, one after another in the answers; all draw with the prompt's seed
};

struct Question {
  std::vector<TokenId> prompt;
  int n_new = 0;  // nothing stops early
  float temperature = 0;
  std::uint64_t seed = 0;
};

struct DrivenAnswer {
  std::vector<TokenId> tokens;
  Finish finish;
};

// REQUIRES: a runner of the setup's n_blocks and block_size.
[[nodiscard]] std::vector<DrivenAnswer> answer(ModelRunner& runner, const DriveSetup& setup,
                                               std::span<const Question> questions);

// Greedily, n_new tokens for each prompt.
[[nodiscard]] std::vector<DrivenAnswer> answer(ModelRunner& runner, const DriveSetup& setup,
                                               std::span<const std::vector<TokenId>> prompts, int n_new);

}  // namespace mie::bench
