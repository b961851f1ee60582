#include "models/registry.h"

#include "tests/fakes/tiny_llama.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mie {
namespace {

using test::GgufBuilder;
using test::tiny_llama;
using test::TinyLlama;

Result<ModelPlan> plan_of(const GgufBuilder& builder) {
  const auto bytes = builder.bytes();
  const auto file = GgufFile::parse(bytes, "m.gguf");
  if (!file) return file.error();
  return plan_model(**file);
}

// The one-line refusal of a tiny model after a change to it.
std::string refusal(const std::function<void(GgufBuilder&)>& change, const TinyLlama& shape = {}) {
  auto builder = tiny_llama(shape);
  change(builder);
  const auto plan = plan_of(builder);
  if (plan) return "accepted";
  EXPECT_EQ(plan.error().code, Errc::kModelFormat);
  return plan.error().message;
}

TEST(Registry, ReadsTheParametersOfALlama) {
  const auto plan = plan_of(tiny_llama({}));
  ASSERT_TRUE(plan) << plan.error().message;
  const ModelSpec& spec = plan->spec;
  EXPECT_EQ(spec.architecture, "llama");
  EXPECT_EQ(spec.name, "tiny");
  EXPECT_EQ(spec.n_vocab, 288);
  EXPECT_EQ(spec.n_layers, 2);
  EXPECT_EQ(spec.hidden, 64);
  EXPECT_EQ(spec.n_heads, 4);
  EXPECT_EQ(spec.n_kv_heads, 2);
  EXPECT_EQ(spec.head_dim, 16);
  EXPECT_EQ(spec.ffn_hidden, 96);
  EXPECT_EQ(spec.context_length, 256);
  EXPECT_EQ(spec.norm_eps, 1e-5F);
  EXPECT_EQ(spec.rope.base, 10000);
  EXPECT_EQ(spec.rope.n_rotary_dims, 16);
  EXPECT_EQ(spec.rope.pairing, RopePairing::kInterleaved);
  EXPECT_TRUE(spec.tied_embeddings);
  EXPECT_EQ(plan->tensors.size(), 1U + 2 * 9 + 1);
  EXPECT_EQ(spec.kv_bytes_per_token(2), 2 * 2 * 2 * 16 * 2);
}

TEST(Registry, EverySlotIsATensorOfTheFile) {
  const auto builder = tiny_llama({.n_layers = 3, .weights = QuantFormat::kQ8_0, .tied = false});
  const auto bytes = builder.bytes();
  const auto file = *GgufFile::parse(bytes, "m.gguf");
  const auto plan = plan_model(*file);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_FALSE(plan->spec.tied_embeddings);
  EXPECT_EQ(plan->tensors.size(), file->tensors().size());
  for (const TensorSlot& slot : plan->tensors) {
    ASSERT_NE(file->find(slot.name), nullptr) << slot.name;
    EXPECT_EQ(file->find(slot.name)->shape, slot.shape);
  }
  const auto down =
      std::ranges::find_if(plan->tensors, [](const TensorSlot& s) { return s.role == TensorRole::kDown && s.layer == 2; });
  ASSERT_NE(down, plan->tensors.end());
  EXPECT_EQ(down->name, "blk.2.ffn_down.weight");
  EXPECT_EQ(down->shape, (std::vector<std::int64_t>{64, 96}));
  EXPECT_EQ(plan->tensors.back().role, TensorRole::kOutput);
  EXPECT_EQ(plan->tensors.back().layer, -1);
}

TEST(Registry, AbsentKeysHaveTheDefaultsOfTheFamily) {
  auto builder = tiny_llama({.n_kv_heads = 4});
  for (const auto* key :
       {"llama.attention.head_count_kv", "llama.rope.freq_base", "llama.rope.dimension_count", "general.name"}) {
    builder.erase(key);
  }
  const auto plan = plan_of(builder);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->spec.n_kv_heads, 4);
  EXPECT_EQ(plan->spec.rope.base, 10000);
  EXPECT_EQ(plan->spec.rope.n_rotary_dims, 16);
  EXPECT_EQ(plan->spec.name, "");
}

TEST(Registry, HeadSizeMayDifferFromHiddenOverHeads) {
  auto builder = tiny_llama({});
  builder.u32("llama.attention.key_length", 16);
  builder.u32("llama.attention.value_length", 16);
  EXPECT_TRUE(plan_of(builder));
  builder.u32("llama.attention.value_length", 8);
  EXPECT_EQ(plan_of(builder).error().message,
            "m.gguf: metadata 'llama.attention.value_length' is 8 with keys of 16, which is not supported");
}

TEST(Registry, NamesAnUnknownArchitecture) {
  EXPECT_EQ(refusal([](auto& file) { file.text("general.architecture", "mamba"); }),
            "m.gguf: architecture 'mamba' is not supported");
  EXPECT_EQ(refusal([](auto& file) { file.erase("general.architecture"); }),
            "m.gguf: metadata 'general.architecture' is missing");
  EXPECT_EQ(refusal([](auto& file) { file.u32("split.count", 3); }), "m.gguf: is one of 3 parts of a split model");
}

TEST(Registry, NamesAMissingOrMistypedKey) {
  for (const std::string key :
       {"llama.block_count", "llama.context_length", "llama.embedding_length", "llama.feed_forward_length",
        "llama.attention.head_count", "llama.attention.layer_norm_rms_epsilon"}) {
    EXPECT_EQ(refusal([&](auto& file) { file.erase(key); }), "m.gguf: metadata '" + key + "' is missing");
    EXPECT_NE(refusal([&](auto& file) { file.text(key, "7"); }).find("'" + key + "' is string where"), std::string::npos);
  }
}

TEST(Registry, NamesATensorThatIsMissingExtraOrOfTheWrongShape) {
  EXPECT_EQ(refusal([](auto& file) { file.tensors().pop_back(); }), "m.gguf: tensor 'output_norm.weight' is missing");
  EXPECT_EQ(refusal([](auto& file) { std::erase_if(file.tensors(), [](auto& t) { return t.name == "token_embd.weight"; }); }),
            "m.gguf: tensor 'token_embd.weight' is missing");
  EXPECT_EQ(refusal([](auto& file) { file.tensor("rope_freqs.weight", QuantFormat::kF32, {8}, std::vector<std::byte>(32)); }),
            "m.gguf: tensor 'rope_freqs.weight' is not known to this architecture");
  EXPECT_EQ(refusal([](auto& file) { file.tensor("blk.0.attn_q.bias", QuantFormat::kF32, {64}, std::vector<std::byte>(256)); }),
            "m.gguf: tensor 'blk.0.attn_q.bias' is not known to this architecture");
  EXPECT_EQ(refusal([](auto& file) {
              std::swap(file.find("blk.1.ffn_up.weight").dims[0], file.find("blk.1.ffn_up.weight").dims[1]);
            }),
            "m.gguf: tensor 'blk.1.ffn_up.weight' has shape [64, 96] where [96, 64] is expected");
  EXPECT_EQ(refusal([](auto& file) { file.u32("llama.block_count", 3); }),
            "m.gguf: tensor 'blk.2.attn_norm.weight' is missing");
  EXPECT_EQ(refusal([](auto& file) { file.u32("llama.block_count", 1); }),
            "m.gguf: tensor 'blk.1.attn_norm.weight' is not known to this architecture");
}

TEST(Registry, RefusesWhatTheForwardPassDoesNotDo) {
  EXPECT_EQ(refusal([](auto& file) { file.text("llama.rope.scaling.type", "yarn"); }),
            "m.gguf: metadata 'llama.rope.scaling.type' is 'yarn', which is not supported");
  EXPECT_EQ(refusal([](auto& file) { file.text("llama.rope.scaling.type", "none"); }), "accepted");
  EXPECT_EQ(refusal([](auto& file) { file.f32("llama.rope.scaling.factor", 4); }),
            "m.gguf: metadata 'llama.rope.scaling.factor' is 4.000000, which is not supported");
  EXPECT_EQ(refusal([](auto& file) { file.f32("llama.rope.scale_linear", 1); }), "accepted");
  EXPECT_EQ(refusal([](auto& file) { file.u32("llama.expert_count", 8); }),
            "m.gguf: metadata 'llama.expert_count' is 8, which is not supported");
  EXPECT_EQ(refusal([](auto& file) { file.f32("llama.logit_scale", 2); }),
            "m.gguf: metadata 'llama.logit_scale' is present, which is not supported");
}

TEST(Registry, RefusesNumbersOutOfRange) {
  const auto with = [](const char* key, std::uint64_t value) { return refusal([=](auto& file) { file.u64(key, value); }); };
  EXPECT_EQ(with("llama.block_count", 0), "m.gguf: number of layers is 0; 1 to 1024 is expected");
  EXPECT_EQ(with("llama.block_count", 1U << 31), "m.gguf: metadata 'llama.block_count' is 2147483648, which is not supported");
  EXPECT_EQ(with("llama.block_count", 2147483647), "m.gguf: number of layers is 2147483647; 1 to 1024 is expected");
  EXPECT_EQ(with("llama.attention.head_count", 0), "m.gguf: number of heads is 0; 1 to 4096 is expected");
  EXPECT_EQ(with("llama.attention.head_count_kv", 0), "m.gguf: number of KV heads is 0; 1 to 4096 is expected");
  EXPECT_EQ(with("llama.attention.head_count_kv", 3), "m.gguf: 4 heads do not share 3 KV heads evenly");
  EXPECT_EQ(with("llama.attention.key_length", 14), "m.gguf: number of rotary dimensions is 16; 1 to 14 is expected");
  EXPECT_EQ(with("llama.rope.dimension_count", 18), "m.gguf: number of rotary dimensions is 18; 1 to 16 is expected");
  EXPECT_EQ(with("llama.rope.dimension_count", 15), "m.gguf: number of rotary dimensions is odd");
  EXPECT_EQ(with("llama.context_length", 0), "m.gguf: context length is 0; 1 to 268435456 is expected");
  EXPECT_EQ(refusal([](auto& file) { file.i32("llama.embedding_length", -64); }),
            "m.gguf: hidden size is -64; 1 to 1048576 is expected");
  const auto epsilon = [](float value) {
    return refusal([=](auto& file) { file.f32("llama.attention.layer_norm_rms_epsilon", value); });
  };
  EXPECT_EQ(epsilon(std::numeric_limits<float>::quiet_NaN()), "m.gguf: norm epsilon is out of range");
  EXPECT_EQ(epsilon(-1), "m.gguf: norm epsilon is out of range");
  EXPECT_EQ(refusal([](auto& file) { file.f32("llama.rope.freq_base", std::numeric_limits<float>::infinity()); }),
            "m.gguf: rotary base is out of range");
  EXPECT_EQ(refusal([](auto& file) { file.f32("llama.rope.freq_base", 0); }), "m.gguf: rotary base is out of range");
}

TEST(Registry, OddHeadSizesAreRefused) {
  EXPECT_EQ(refusal([](auto&) {}, {.hidden = 60, .n_heads = 4, .n_kv_heads = 2}), "m.gguf: head size 15 is odd");
}

TEST(Registry, VocabularyMayBePaddedButNotCut) {
  EXPECT_EQ(refusal([](auto&) {}, {.n_vocab = test::kTinyLlamaTokens}), "accepted");
  EXPECT_EQ(refusal([](auto&) {}, {.n_vocab = test::kTinyLlamaTokens - 1}), "m.gguf: has 263 tokens but embeds 262");
}

TEST(Registry, TableNamesAreUnique) {
  for (std::size_t i = 0; i < families().size(); ++i) {
    for (std::size_t j = i + 1; j < families().size(); ++j) {
      EXPECT_NE(families()[i].gguf_architecture, families()[j].gguf_architecture);
    }
  }
  EXPECT_EQ(families().front().hf_architecture, "LlamaForCausalLM");
}

}  // namespace
}  // namespace mie
