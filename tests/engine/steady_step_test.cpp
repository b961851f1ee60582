// A steady engine allocates nothing. A program of its own, because it counts every malloc.
#include "tests/engine/core_harness.h"
#include "tests/fakes/allocation_meter.h"

#include <gtest/gtest.h>

namespace mie::test {
namespace {

constexpr int kSeqs = 4;

// A stream whose tokens nobody takes yet: what pushing one costs is the executor's, not the step's.
std::size_t bytes_of_a_wake_up() {
  net::io_context io;
  auto stream = std::make_shared<TokenStream>(RequestId(1), io.get_executor());
  TokenBatch batch;
  batch.tokens.push_back({.token = TokenId(3), .top = {}});
  const std::size_t before = bytes_allocated_by_this_thread();
  stream->push(std::move(batch));
  return bytes_allocated_by_this_thread() - before;
}

TEST(SteadyStep, AllocatesNothingButTheWakeUps) {
  CoreHarness harness({.limits = {.max_seqs = kSeqs, .max_tokens = 64, .max_prefill_chunk = 64}, .n_blocks = 256});
  harness.options.paranoid = false;  // the validator of plans allocates
  for (int i = 0; i < kSeqs; ++i) harness.submit(make_request(i, 9 + i, 100));
  for (int i = 0; i < 8; ++i) harness.core.step();
  const std::size_t wake_up = bytes_of_a_wake_up();
  ASSERT_GT(wake_up, 0U);
  for (int i = 0; i < 64; ++i) {  // over many block boundaries of 4 tokens
    const std::size_t before = bytes_allocated_by_this_thread();
    harness.core.step();
    EXPECT_EQ(bytes_allocated_by_this_thread() - before, kSeqs * wake_up) << "step " << i;
  }
}

}  // namespace
}  // namespace mie::test
