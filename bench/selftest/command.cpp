#include "bench/selftest/command.h"

#include "bench/selftest/points.h"
#include "bench/selftest/serve.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

namespace mie {
namespace {

constexpr int kExitPassed = 0, kExitFailed = 1, kExitDisturbed = 5;

const char* verdict_of(const bench::SelfTestPoint& point) {
  if (point.passed) return "pass";
  return point.disturbed ? "busy" : "FAIL";
}

std::chrono::nanoseconds milliseconds(double ms) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double, std::milli>(ms));
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
  command
      .add_option("--serve", pace_ms_,
                  "run no point: serve known answers to another client, the first token after FIRST ms and up to a GAP more, "
                  "then one each GAP ms, "
                  "until standard input ends")
      ->type_name("FIRST GAP")
      ->expected(2)
      ->check(CLI::NonNegativeNumber);
}

Result<int> BenchSelfTest::run() {
  if (!pace_ms_.empty()) {
    bench::serve_known_answers({.first = milliseconds(pace_ms_[0]), .gap = milliseconds(pace_ms_[1])});
    return kExitPassed;
  }
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
