// What the torch backend shows to a tap: every tensor is that of a decoder in plain loops.
#include "bench/diff/compare.h"
#include "bench/diff/drive.h"
#include "models/torch/open_torch.h"
#include "tests/fakes/faulty_decoder.h"

#include <gtest/gtest.h>

namespace mie::test {
namespace {

using diff::Arrangement;
using diff::Record;
using diff::Recorder;
using diff::Script;

constexpr int kBlock = 4;

Record of_torch(const SyntheticModel& model, const Script& script, TorchDtype dtype) {
  const Arrangement arrangement{.block_size = kBlock, .chunk = 5, .batch = 2};
  Recorder recorder;
  TorchOptions options{.dtype = dtype, .n_threads = 1, .n_blocks = blocks_needed(script, arrangement), .block_size = kBlock};
  options.tap = &recorder;
  auto runner = open_torch_runner({}, model.plan(), model, options, {});
  if (!runner) throw std::runtime_error(runner.error().message);
  Record record = diff::drive(**runner, recorder, script, arrangement);
  record.numerics.arithmetic = dtype == TorchDtype::kFloat32 ? diff::Arithmetic::kFp32 : diff::Arithmetic::kBf16;
  return record;
}

Record of_loops(const SyntheticModel& model, const Script& script) {
  const Arrangement arrangement{.block_size = kBlock};
  Recorder recorder;
  FaultyDecoder runner(model, blocks_needed(script, arrangement), kBlock, &recorder);
  return diff::drive(runner, recorder, script, arrangement);
}

struct Shape {
  const char* name;
  RopePairing pairing;
  int n_rotary_dims;
};

class TorchTap : public ::testing::TestWithParam<Shape> {};

TEST_P(TorchTap, ShowsTheTensorsOfThePlainReference) {
  ModelSpec spec = small_spec();
  spec.rope.pairing = GetParam().pairing;
  spec.rope.n_rotary_dims = GetParam().n_rotary_dims;
  const SyntheticModel model(spec, 7);
  Script script{.tokens = {}, .n_prompt = 12, .n_total = 18};
  for (int i = 0; i < script.n_prompt; ++i) script.tokens.emplace_back(i * i % spec.n_vocab);
  const Record loops = of_loops(model, script);
  script.tokens = loops.tokens;
  const auto fp32 = compare(loops, of_torch(model, script, TorchDtype::kFloat32)).value();
  EXPECT_EQ(fp32.tensors.size(), static_cast<std::size_t>(spec.n_layers) * 9 + 3);
  EXPECT_FALSE(fp32.first_above) << name_of(fp32.first_above->tensor) << " at " << fp32.first_above->position;
  const auto bf16 = compare(loops, of_torch(model, script, TorchDtype::kBFloat16)).value();
  EXPECT_EQ(bf16.tensors.back().id, (diff::TensorId{.layer = -1, .point = TapPoint::kLogits}));
  EXPECT_GT(bf16.tensors.back().distance.relative, 1e-4) << "that is fp32 precision";
}

INSTANTIATE_TEST_SUITE_P(Shapes, TorchTap,
                         ::testing::Values(Shape{"Half", RopePairing::kHalf, 8},
                                           Shape{"Interleaved", RopePairing::kInterleaved, 8},
                                           Shape{"PartialInterleaved", RopePairing::kInterleaved, 6}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace mie::test
