// One check of the harness on itself: what was looked at, the figure and the limit beside it. Values; any thread.
#pragma once

#include <string>
#include <vector>

namespace mie::bench {

struct SelfTestPoint {
  int number = 0;  // a number may have several lines
  std::string check{};
  std::string figure{};
  std::string limit{};
  bool passed = false;
  bool disturbed = false;  // others used the machine: that it did not pass says nothing
  bool not_run = false;    // it could not be looked at: `check` says why
};

using SelfTestPoints = std::vector<SelfTestPoint>;

}  // namespace mie::bench
