#include "core/base/build_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace mie {
namespace {

using testing::MatchesRegex;

TEST(BuildInfo, EveryFieldHasItsShape) {
  const BuildInfo info = build_info();
  EXPECT_THAT(std::string(info.version), MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(std::string(info.commit), MatchesRegex("[0-9a-f]+|unknown"));
  EXPECT_THAT(std::string(info.compiler), MatchesRegex("(clang|gnu) [0-9.]+"));
  EXPECT_THAT(std::string(info.build_type), MatchesRegex("Release|Debug|RelWithDebInfo"));
}

}  // namespace
}  // namespace mie
