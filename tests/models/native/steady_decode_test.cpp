// Steady decode allocates nothing, on any thread. A program of its own, because it counts every malloc.
#include "models/native/native_runner.h"
#include "models/native/thread_pool.h"
#include "tests/fakes/allocation_meter.h"
#include "tests/fakes/synthetic_model.h"

#include <gtest/gtest.h>

namespace mie::native::testing {
namespace {

constexpr int kSeqs = 3, kPage = 8, kSteps = 100, kPages = kSteps / kPage + 2;

NativeOptions options(ComputeMode mode) {
  return {.n_blocks = kSeqs * kPages,
          .block_size = kPage,
          .max_rows = 64,
          .max_logits = kSeqs,
          .max_positions = kPages * kPage,
          .n_tokens = 64,
          .mode = mode,
          .isa = best_isa(),
          .n_threads = 2,
          .cores = {}};
}

// Every sequence decodes its token at `position`; the second with a temperature and top_k, the third with top_p.
void decode(ModelRunner& runner, StepBatch& batch, int position, std::span<SamplingRow> rows, std::span<Sampled> sampled) {
  for (int seq = 0; seq < kSeqs; ++seq) {
    const auto s = static_cast<std::size_t>(seq);
    batch.positions[s] = position;
    batch.tokens[s] = sampled[s].token.value();
    rows[s].position = position + 1;
  }
  runner.run(batch, rows, sampled);
}

class SteadyDecode : public ::testing::TestWithParam<ComputeMode> {};

TEST_P(SteadyDecode, AllocatesNothing) {
  ModelSpec spec = test::small_spec();
  spec.hidden = 64;
  spec.head_dim = spec.rope.n_rotary_dims = 32;
  spec.ffn_hidden = 96;
  spec.n_vocab = 64;
  const test::SyntheticModel model(spec, 5);
  auto runner = make_native_runner(model.plan(), model, options(GetParam()), [](std::int64_t, std::int64_t) {});
  ASSERT_TRUE(runner);
  StepBatch batch{.tokens = {1, 2, 3},
                  .positions = {0, 0, 0},
                  .row_starts = {0, 1, 2, 3},
                  .block_tables = {},
                  .max_blocks = kPages,
                  .copies = {},
                  .logits_rows = {0, 1, 2}};
  for (int i = 0; i < kSeqs * kPages; ++i) batch.block_tables.push_back(i);
  std::vector<SamplingRow> rows(kSeqs);
  rows[0].temperature = 0;
  rows[1].top_k = 10;
  rows[2].top_p = 0.9F;
  std::vector<Sampled> sampled(kSeqs, Sampled{.token = TokenId(1), .top = {}});
  int position = 0;
  for (; position < 4; ++position) decode(**runner, batch, position, rows, sampled);
  const std::int64_t before = test::n_allocations_of_all_threads();
  for (; position < kSteps; ++position) decode(**runner, batch, position, rows, sampled);
  EXPECT_EQ(test::n_allocations_of_all_threads() - before, 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, SteadyDecode, ::testing::Values(ComputeMode::kW4A8, ComputeMode::kW4A16));

}  // namespace
}  // namespace mie::native::testing
