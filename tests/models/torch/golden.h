// The reference's answers (tests/golden/model/) and the model file that they belong to. Test code.
#pragma once

#include "models/model_runner.h"
#include "models/torch/open_torch.h"
#include "models/weights/gguf.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace mie::test {

struct GoldenPrompt {
  std::string name;
  std::vector<TokenId> ids;              // the prompt
  std::vector<TokenId> tokens;           // what the reference generated
  std::vector<double> gaps;              // between its two best logits, per token
  std::vector<TopLogprob> top_logprobs;  // of the first token; empty for most prompts
};
[[nodiscard]] std::vector<GoldenPrompt> golden_prompts();

struct GoldenText {
  std::string name;
  std::vector<TokenId> ids;
  std::vector<double> logprobs;  // of each but the first
  std::vector<int> ranks;        // 1 for the best
};
[[nodiscard]] std::vector<GoldenText> golden_texts();

// SmolLM2-135M-Instruct.Q4_1.gguf, whose path the environment variable MIE_TEST_MODEL holds. Throws when it is unset.
[[nodiscard]] std::unique_ptr<GgufFile> open_test_model();

// The torch backend over `file`. Throws with the message of the error.
[[nodiscard]] std::unique_ptr<ModelRunner> open_runner(const GgufFile& file, const TorchOptions& options);

}  // namespace mie::test
