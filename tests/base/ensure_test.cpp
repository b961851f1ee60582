#include "core/base/ensure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace mie {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Ensure, NamesTheFileTheReasonAndTheCondition) {
  const int n_free = 2;
  EXPECT_THAT([&] { ENSURE(n_free > 2, "pool is short of " + std::to_string(3) + " blocks"); },
              ThrowsMessage<InvariantError>(
                  AllOf(HasSubstr("tests/base/ensure_test.cpp:"), EndsWith(": pool is short of 3 blocks (n_free > 2)"))));
}

TEST(Ensure, BuildsItsMessageOnFailureOnly) {
  int n_built = 0;
  const auto message = [&] {
    ++n_built;
    return std::string("broken");
  };
  ENSURE(true, message());
  EXPECT_EQ(n_built, 0);
  EXPECT_THROW(ENSURE(false, message()), InvariantError);
  EXPECT_EQ(n_built, 1);
}

TEST(Ensure, EvaluatesItsConditionOnceInEveryBuildType) {
  int n_evaluated = 0;
  ENSURE(++n_evaluated == 1, "evaluated twice");
  EXPECT_EQ(n_evaluated, 1);
}

TEST(Ensure, IsOneStatement) {
  bool took_else = false;
  if (false)
    ENSURE(false, "not reached");
  else
    took_else = true;
  EXPECT_TRUE(took_else);
}

}  // namespace
}  // namespace mie
