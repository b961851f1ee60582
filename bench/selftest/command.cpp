#include "bench/selftest/command.h"

#include "bench/selftest/analysis_points.h"
#include "bench/selftest/points.h"
#include "bench/selftest/serve.h"
#include "core/base/build_info.h"
#include "core/base/log.h"
#include "server/json/response_write.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>

namespace mie {
namespace {

using bench::SelfTestLength;
using bench::SelfTestPoint;
using json::JsonWriter;

constexpr int kExitPassed = 0, kExitFailed = 1, kExitNotRun = 4, kExitDisturbed = 5;
constexpr int kPoints = 14;

std::chrono::nanoseconds milliseconds(double ms) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double, std::milli>(ms));
}

const char* verdict_of(const SelfTestPoint& point) {
  if (point.not_run) return "not run";
  if (point.passed) return "pass";
  return point.disturbed ? "busy" : "FAIL";
}

// What has been seen decides on the exit code.
class Lines {
 public:
  explicit Lines(std::FILE* out) : out_(out) {}

  void print(const SelfTestPoint& point) {
    const std::string line = point.not_run ? fmt::format("{:>2}  -     not run: {}\n", point.number, point.check)
                                           : fmt::format("{:>2}  {:<4}  {:<72} {:>20}   {}\n", point.number, verdict_of(point),
                                                         point.check, point.figure, point.limit);
    std::fputs(line.c_str(), out_);
    std::fflush(out_);
    seen_.push_back(point);
  }

  [[nodiscard]] std::string json() const {
    JsonWriter out;
    out.begin_object().member("schema", "mie.selftest/1").member("commit", build_info().commit).key("points").begin_array();
    for (const SelfTestPoint& point : seen_) {
      out.begin_object().member("number", point.number).member("verdict", verdict_of(point)).member("check", point.check);
      out.member("figure", point.figure).member("limit", point.limit).end_object();
    }
    return out.end_array().end_object().take() + "\n";
  }

  [[nodiscard]] int exit_code() const {
    const auto any = [this](auto is) { return std::ranges::any_of(seen_, is); };
    const auto open = [](const SelfTestPoint& point) { return !point.not_run && !point.passed; };
    if (any([&](const SelfTestPoint& point) { return open(point) && !point.disturbed; })) return kExitFailed;
    if (any([](const SelfTestPoint& point) { return point.not_run; })) return kExitNotRun;
    return any(open) ? kExitDisturbed : kExitPassed;
  }

 private:
  std::FILE* out_;
  std::vector<SelfTestPoint> seen_;
};

bench::SelfTestPoints own_points(int number) {
  switch (number) {
    case 1:
      return bench::check_hand_values();
    case 2:
      return bench::check_stalls();
    case 3:
      return bench::check_token_events();
    case 4:
      return bench::check_statuses();
    case 9:
      return bench::check_result_file();
    case 10:
      return bench::check_killed_run();
    case 11:
      return bench::check_speed();
    case 12:
      return bench::check_exact_figures();
    case 13:
      return bench::check_counters();
    case 14:
      return bench::check_withholding();
    default:
      return {};
  }
}

}  // namespace

BenchSelfTest::BenchSelfTest(CLI::App& command) {
  command.add_option("--point", only_, "run these points alone")
      ->delimiter(',')
      ->type_name("N,…")
      ->check(CLI::Range(1, kPoints));
  command.add_flag("--json", json_, "print one JSON object, and the lines to standard error");
  command.add_flag("--quick", quick_, "points 6 to 8 with fewer simulated runs, and limits as wide as those need");
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
  std::vector<int> numbers = only_;
  if (numbers.empty()) {
    numbers.resize(kPoints);
    std::iota(numbers.begin(), numbers.end(), 1);
  }
  configure_logging({.level = "warn"});  // the engine's beginning and end are of no interest
  Lines lines(json_ ? stderr : stdout);
  for (const int number : numbers) {
    if (std::ranges::find(bench::kAnalysisPoints, number) != bench::kAnalysisPoints.end()) {
      bench::check_by_analysis(number, quick_ ? SelfTestLength::kQuick : SelfTestLength::kFull,
                               [&lines](const SelfTestPoint& point) { lines.print(point); });
      continue;
    }
    for (const SelfTestPoint& point : own_points(number)) lines.print(point);
  }
  if (json_) std::fputs(lines.json().c_str(), stdout);
  return lines.exit_code();
}

}  // namespace mie
