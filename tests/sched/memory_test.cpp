// Want of memory in a sequence. A program of its own, because it replaces operator new.
#include "core/sequence.h"
#include "tests/fakes/failing_new.h"

#include <gtest/gtest.h>

#include <memory>

namespace mie {
namespace {

constexpr TokenId kToken{7};

// 5 prompt tokens, at most 3 generated.
std::shared_ptr<Request> request_of_5() {
  auto request = std::make_shared<Request>();
  request->prompt = {TokenId(1), TokenId(2), TokenId(3), TokenId(4), TokenId(5)};
  request->max_tokens = 3;
  return request;
}

TEST(Sequence, CommitNeverAllocates) {
  BlockPool pool(4);
  Sequence seq(request_of_5(), pool, 4);
  seq.admit();
  ASSERT_TRUE(seq.blocks().append(2));
  const test::FailingNew failing(0);
  seq.commit(5, kToken);
  seq.commit(1, kToken);
  seq.commit(1, kToken);
}

TEST(Sequence, NoMemoryToBeAdmittedChangesNothing) {
  BlockPool pool(4);
  Sequence seq(request_of_5(), pool, 4);
  const int n_allocations =
      test::fail_each_allocation([&] { seq.admit(); }, [&] { EXPECT_EQ(seq.state(), SeqState::kWaiting); });
  EXPECT_GE(n_allocations, 1);
  EXPECT_EQ(seq.state(), SeqState::kRunning);
}

}  // namespace
}  // namespace mie
