// Log-probabilities of prompts by the torch backend in fp32: against an fp64 reference in plain loops, and against what
// transformers says of the default model. Prompts are longer than the rows of logits that are held at a time (64).
#include "models/torch/open_torch.h"
#include "tests/fakes/naive_decoder.h"
#include "tests/fakes/step_driver.h"
#include "tests/fakes/synthetic_model.h"
#include "tests/models/torch/golden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace mie::test {
namespace {

TorchOptions fp32(int n_blocks) {
  return {.dtype = TorchDtype::kFloat32, .n_threads = 1, .n_blocks = n_blocks, .block_size = 16};
}

TEST(TorchPromptScores, EqualThePlainReferenceInEveryArrangement) {
  ModelSpec spec = small_spec();
  spec.context_length = 160;
  const SyntheticModel model(spec, 7);
  std::vector<std::vector<TokenId>> prompts{{TokenId(3)}, {}, {}};
  for (int i = 0; i < 150; ++i) prompts[1].emplace_back(i * i % spec.n_vocab);
  for (int i = 0; i < 9; ++i) prompts[2].emplace_back(i * 7 % spec.n_vocab);
  const auto runner = open_torch_runner({}, model.plan(), model, fp32(64), {});
  ASSERT_TRUE(runner) << runner.error().message;
  for (const Arrangement& arrangement :
       {Arrangement{}, Arrangement{.n_together = 3}, Arrangement{.n_together = 3, .chunk = 70}}) {
    const auto scores = score(**runner, prompts, arrangement, 3);
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      ASSERT_EQ(scores[i].size(), prompts[i].size() - 1);
      for (std::size_t at = 0; at < scores[i].size(); ++at) {
        const Sampled& scored = scores[i][at];
        const auto expected = naive_logprobs(model, std::span(prompts[i]).first(at + 1));
        EXPECT_EQ(scored.token, prompts[i][at + 1]);
        EXPECT_NEAR(scored.logprob, expected[static_cast<std::size_t>(scored.token.value())], 5e-5) << i << " " << at;
        ASSERT_EQ(scored.top.size(), 3U);
        for (const TopLogprob& top : scored.top)
          EXPECT_NEAR(top.logprob, expected[static_cast<std::size_t>(top.token.value())], 5e-5);
      }
    }
  }
}

TEST(TorchPromptScores, EqualTransformersOnTheDefaultModel) {
  const auto texts = golden_texts();
  ASSERT_EQ(texts.size(), 24U);
  std::vector<std::vector<TokenId>> prompts;
  for (const GoldenText& text : texts) prompts.push_back(text.ids);
  const auto runner = open_runner(*open_test_model(), fp32(160));
  const auto scores = score(*runner, prompts, {.n_together = 8, .chunk = 100}, 0);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(scores[i].size(), texts[i].logprobs.size());
    for (std::size_t at = 0; at < scores[i].size(); ++at) {
      const Sampled& scored = scores[i][at];
      EXPECT_NEAR(scored.logprob, texts[i].logprobs[at], 1e-3) << texts[i].name << ", token " << at + 1;
      // of a rank in the thousands, many logits lie within the rounding
      EXPECT_LE(std::abs(scored.rank - texts[i].ranks[at]), 1 + texts[i].ranks[at] / 100)
          << texts[i].name << ", token " << at + 1;
    }
  }
}

}  // namespace
}  // namespace mie::test
