// The files of a run: what result.json says is what its requests say, and nothing that is half written has its name.
#include "bench/load/request_lines.h"
#include "bench/result/result_files.h"
#include "bench/run/checks.h"
#include "bench/run/validity.h"
#include "tests/bench/runs/made_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>

namespace mie::bench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAre;

RunResult whole_run() {
  RunResult run = made_run();
  run.window = measured_window(run);
  run.checks = check_run(run);
  run.validity = judge(run);
  return run;
}

class RunFiles : public ::testing::Test {
 protected:
  ~RunFiles() override { fs::remove_all(folder_); }
  fs::path folder_ = fs::temp_directory_path() / ("mie-run-" + std::to_string(::getpid()));
  simdjson::dom::parser parser_;
};

TEST_F(RunFiles, SayWhatTheRequestsSay) {
  const simdjson::dom::element root = parser_.parse(result_json(whole_run()));
  EXPECT_EQ(std::string_view(root["schema"]), "mie.result/1");
  EXPECT_EQ(std::string_view(root["validity"]["state"]), "ok");
  EXPECT_EQ(std::string_view(root["spec"]["name"]), "made");
  EXPECT_EQ(std::string_view(root["spec_sha256"]).size(), 64U);
  EXPECT_EQ(std::int64_t(root["windows"]["steady"]["a_ns"]), ns(1.0));
  EXPECT_EQ(std::int64_t(root["counts"]["offered"]), 4);
  EXPECT_EQ(std::int64_t(root["counts"]["by_status"]["ok"]), 4);
  EXPECT_EQ(std::int64_t(root["counts"]["tokens_in"]), 40);
  EXPECT_EQ(std::int64_t(root["counts"]["tokens_out"]), 12);
  const auto ttft = root["metrics"]["ttft"]["ok"];
  EXPECT_EQ(std::int64_t(ttft["n"]), 4);
  EXPECT_NEAR(double(ttft["mean"]), 0.099, 1e-9) << "0.1 s after the intended instant, sent 1 ms late";
  EXPECT_TRUE(ttft["percentiles"]["p99"]["linear"].is_null()) << "of four values there is none";
  EXPECT_EQ(std::int64_t(ttft["percentiles"]["p99"]["needed"]), 1000);
  EXPECT_NEAR(double(root["metrics"]["tpot"]["ok"]["mean"]), 0.1, 1e-9);
  // 2 requests and 6 tokens in each load of 1.6 s.
  EXPECT_NEAR(double(root["throughput"]["requests_per_s"]), 2 / 1.6, 1e-6);
  EXPECT_NEAR(double(root["throughput"]["output_tokens_per_s"]), 6 / 1.6, 1e-6);
  EXPECT_EQ(simdjson::dom::array(root["repetitions"]).size(), 2U);
  EXPECT_TRUE(root["goodput"].is_null()) << "no objectives";
  EXPECT_EQ(std::string_view(root["reproduce"]["commands"].at(0)), "mie bench run made.toml");
}

TEST_F(RunFiles, CountSecondsOfTheWholeRun) {
  const simdjson::dom::element root = parser_.parse(result_json(whole_run()));
  const simdjson::dom::array seconds = root["timeseries"]["1s"];
  ASSERT_EQ(seconds.size(), 13U) << "0 to 12.6 s";
  EXPECT_EQ(std::int64_t(seconds.at(1)["sent"]), 2);
  EXPECT_EQ(std::int64_t(seconds.at(1)["tokens"]), 6);
  EXPECT_EQ(std::int64_t(seconds.at(1)["in_flight"]), 2);
  EXPECT_EQ(std::int64_t(seconds.at(2)["finished"]), 2);
  EXPECT_EQ(std::int64_t(seconds.at(2)["in_flight"]), 0);
  EXPECT_EQ(std::int64_t(seconds.at(11)["sent"]), 2);
}

TEST_F(RunFiles, GoodputIsOfAllThatWereOffered) {
  RunResult run = made_run();
  run.spec.slo.push_back({{.metric = Metric::kE2el, .comparison = Comparison::kAtMost, .value_ms = 2000}});
  run.records[3].status = RequestStatus::http_5xx;
  run.window = measured_window(run);
  const simdjson::dom::element root = parser_.parse(result_json(run));
  EXPECT_EQ(std::int64_t(root["goodput"]["good"]), 3);
  EXPECT_EQ(double(root["goodput"]["share"]), 0.75);
}

TEST_F(RunFiles, AreWholeOrNotThere) {
  ASSERT_FALSE(write_result(whole_run(), folder_));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
  EXPECT_THAT(names, UnorderedElementsAre("requests.jsonl", "result.json"));
  std::ifstream in(folder_ / "requests.jsonl");
  const auto lines = read_request_lines(in).value();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[3].record.repetition, 1);
  EXPECT_EQ(lines[3].record.events.size(), 3U);
}

TEST_F(RunFiles, AFolderThatCannotBeMadeIsAnError) {
  std::ofstream(folder_) << "a file";
  const auto error = write_result(whole_run(), folder_);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Errc::kConfig);
}

TEST(RunId, IsAUuidOfVersionSevenThatSortsByTime) {
  const std::string first = new_run_id();
  ::usleep(2000);
  const std::string second = new_run_id();
  EXPECT_THAT(first, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_LT(first, second);
}

}  // namespace
}  // namespace mie::bench::test
