#include "core/base/error.h"

#include <gtest/gtest.h>

#include <string>

namespace mie {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error{Errc::kInvalidValue, "must be even", "n"};
  return n / 2;
}

TEST(Result, CarriesAValueOrTheErrorWithItsParameter) {
  EXPECT_EQ(half(10).value(), 5);
  const Result<int> odd = half(3);
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.error().code, Errc::kInvalidValue);
  EXPECT_EQ(odd.error().param, "n");
}

TEST(Result, UncheckedAccessThrowsWithTheMessage) {
  try {
    (void)half(3).value();
    FAIL() << "value() of an error returned";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "unchecked Result: must be even");
  }
}

TEST(Result, HoldsVoid) {
  const Result<void> fine;
  const Result<void> failed = Error{Errc::kDraining, "going away"};
  EXPECT_TRUE(fine);
  EXPECT_EQ(failed.error().code, Errc::kDraining);
  EXPECT_EQ(failed.error().param, "");
}

}  // namespace
}  // namespace mie
