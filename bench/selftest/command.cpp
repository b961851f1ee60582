#include "bench/selftest/command.h"

#include "bench/selftest/points.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace mie {
namespace {

constexpr int kExitPassed = 0, kExitFailed = 1, kExitDisturbed = 5;

const char* verdict_of(const bench::SelfTestPoint& point) {
  if (point.passed) return "pass";
  return point.disturbed ? "busy" : "FAIL";
}

struct Check {
  int number;
  bench::SelfTestPoints (*run)();
};

constexpr std::array kChecks = {Check{1, bench::check_hand_values},  Check{2, bench::check_stalls},
                                Check{3, bench::check_token_events}, Check{4, bench::check_statuses},
                                Check{11, bench::check_speed},       Check{13, bench::check_counters},
                                Check{14, bench::check_withholding}};

}  // namespace

BenchSelfTest::BenchSelfTest(CLI::App& command) {
  std::vector<int> numbers(kChecks.size());
  std::transform(kChecks.begin(), kChecks.end(), numbers.begin(), [](const Check& check) { return check.number; });
  command.add_option("--only", only_, "run these points alone")
      ->delimiter(',')
      ->type_name("N,…")
      ->check(CLI::IsMember(numbers));
}

Result<int> BenchSelfTest::run() {
  bool failed = false, disturbed = false;
  for (const Check& check : kChecks) {
    if (!only_.empty() && std::find(only_.begin(), only_.end(), check.number) == only_.end()) continue;
    for (const bench::SelfTestPoint& point : check.run()) {
      const std::string line = fmt::format("{:>2}  {:<4}  {:<72} {:>20}   {}\n", point.number, verdict_of(point), point.check,
                                           point.figure, point.limit);
      std::fputs(line.c_str(), stdout);
      std::fflush(stdout);
      failed = failed || (!point.passed && !point.disturbed);
      disturbed = disturbed || (!point.passed && point.disturbed);
    }
  }
  if (failed) return kExitFailed;
  return disturbed ? kExitDisturbed : kExitPassed;
}

}  // namespace mie
