// A text file of arrivals gives a text file of plans: traces/*.txt, whose plans were worked out by hand. Lines:
//   sched KIND                                  serial, static, continuous, chunked
//   pool BLOCKS SIZE                            blocks, tokens a block
//   limits SEQS TOKENS CHUNK
//   arrive STEP ID PROMPT OUTPUT                at the start of the step; output in tokens
//   plan STEP | evict 2 | reject 3 | run 1@0+6b2* 4@0+2b1
// One plan line a step, in order, up to the step after which nothing is live. A row is ID@FIRST_POSITION+TOKENS, then b and
// the new blocks if any, then * if it samples. '#' starts a comment.
#include "tests/sched/simulated_life.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace mie::test {
namespace {

struct Trace {
  LifeOptions options;
  std::multimap<int, std::array<int, 3>> arrivals;  // step → id, prompt, output
  std::vector<std::string> plans;
};

Trace read_trace(const std::filesystem::path& path) {
  Trace trace;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    line = line.substr(0, line.find('#'));
    line.erase(line.find_last_not_of(' ') + 1);
    std::istringstream words(line);
    std::string first;
    if (!(words >> first)) continue;
    StepLimits& limits = trace.options.limits;
    std::string kind;
    int step = 0;
    std::array<int, 3> arrival{};
    if (first == "sched" && words >> kind) {
      trace.options.kind = parse_scheduler(kind).value();
    } else if (first == "pool" && words >> trace.options.n_blocks >> trace.options.block_size) {
    } else if (first == "limits" && words >> limits.max_seqs >> limits.max_tokens >> limits.max_prefill_chunk) {
    } else if (first == "arrive" && words >> step >> arrival[0] >> arrival[1] >> arrival[2]) {
      trace.arrivals.emplace(step, arrival);
    } else if (first == "plan") {
      trace.plans.push_back(line);
    } else {
      ADD_FAILURE() << path << ": cannot read \"" << line << '"';
    }
  }
  return trace;
}

std::string text_of(int step, const StepPlan& plan) {
  std::ostringstream out;
  out << "plan " << step;
  if (!plan.evict.empty()) out << " | evict";
  for (const RequestId id : plan.evict) out << ' ' << id;
  if (!plan.reject.empty()) out << " | reject";
  for (const RequestId id : plan.reject) out << ' ' << id;
  for (const RequestId id : plan.late) out << " | late " << id;
  if (!plan.run.empty()) out << " | run";
  for (const Scheduled& row : plan.run) {
    out << ' ' << row.id << '@' << row.first_position << '+' << row.n_tokens;
    if (row.n_new_blocks > 0) out << 'b' << row.n_new_blocks;
    if (row.samples) out << '*';
  }
  return out.str();
}

class TraceTest : public ::testing::TestWithParam<std::string> {};

TEST_P(TraceTest, ArrivalsGiveThePlansWorkedOutByHand) {
  const Trace trace = read_trace(std::filesystem::path(MIE_TEST_DATA) / "sched" / "traces" / (GetParam() + ".txt"));
  ASSERT_FALSE(trace.arrivals.empty());
  SimulatedLife life(trace.options);
  const int last_arrival = trace.arrivals.rbegin()->first;
  int step = 1;
  for (; step <= last_arrival || !life.idle(); ++step) {
    const auto [first, last] = trace.arrivals.equal_range(step);
    for (auto it = first; it != last; ++it)
      life.arrive(RequestId(static_cast<std::uint64_t>(it->second[0])), it->second[1], it->second[2]);
    const std::string plan = text_of(step, life.step());
    ASSERT_LE(static_cast<std::size_t>(step), trace.plans.size()) << "not expected any more: " << plan;
    ASSERT_EQ(plan, trace.plans[static_cast<std::size_t>(step) - 1]);
    ASSERT_TRUE(life.broken().empty()) << life.broken().front();
  }
  EXPECT_EQ(static_cast<std::size_t>(step) - 1, trace.plans.size()) << "plans expected after everything has ended";
}

INSTANTIATE_TEST_SUITE_P(Traces, TraceTest,
                         ::testing::Values("chunked_mix", "chunked_preempt", "continuous_whole", "serial_line", "static_batch"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace mie::test
