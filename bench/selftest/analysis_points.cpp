#include "bench/selftest/analysis_points.h"

#include "bench/run/analysis_program.h"
#include "bench/selftest/child.h"

#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace mie::bench {
namespace {

constexpr int kNoEnvironment = 2;          // of bench/analysis/run
constexpr const char* kQuickRuns = "200";  // simulated runs, of 1000

std::vector<std::string> command_of(const std::string& program, int number, SelfTestLength length) {
  std::vector<std::string> words = {program, "selftest", "--point", std::to_string(number), "--expand", this_program()};
  if (length == SelfTestLength::kQuick) words.insert(words.end(), {"--runs", kQuickRuns});
  return words;
}

// "number TAB pass or FAIL TAB check TAB figure TAB limit"
std::optional<SelfTestPoint> point_in(const std::string& line, int number) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '\t');) cells.push_back(cell);
  if (cells.size() != 5) return {};
  return SelfTestPoint{
      .number = number, .check = cells[2], .figure = cells[3], .limit = cells[4], .passed = cells[1] == "pass"};
}

}  // namespace

void check_by_analysis(int number, SelfTestLength length, const std::function<void(const SelfTestPoint&)>& tell) {
  const std::string program = analysis_program().string();
  if (program.empty()) return tell({.number = number, .check = "bench/analysis is not beside this build", .not_run = true});
  Child analysis(command_of(program, number, length));
  std::string last;  // of what is no point
  int n_points = 0;
  while (const auto line = analysis.line()) {
    if (const auto point = point_in(*line, number)) {
      tell(*point);
      ++n_points;
    } else if (!line->empty()) {
      last = *line;
    }
  }
  const int code = analysis.wait();
  if (n_points == 0 && code == kNoEnvironment) return tell({.number = number, .check = last, .not_run = true});
  if (n_points == 0 || code > 1)
    tell({.number = number, .check = "bench/analysis ended with code " + std::to_string(code), .figure = last, .limit = "0"});
}

}  // namespace mie::bench
