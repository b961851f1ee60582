#include "bench/load/request_lines.h"
#include "bench/result/result_check.h"
#include "bench/result/result_files.h"
#include "bench/run/http_target.h"
#include "bench/run/run.h"
#include "bench/selftest/child.h"
#include "bench/selftest/known_answer_server.h"
#include "bench/selftest/points.h"
#include "bench/selftest/scratch_folder.h"
#include "bench/workload/expand/expand.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

namespace mie::bench {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr int kRequests = 24, kKilledAfter = 20;
constexpr std::size_t kCuts = 16;

// Open loop, so that there are intended instants; {}: requests and their rate.
constexpr const char* kWorkload = R"(
schema = "mie.workload/1"
name = "selftest"
seed = 9
requests = {{ count = {} }}
arrival = {{ law = "poisson", rate = {} }}
target = {{ model = "known" }}
[prompt]
length = {{ dist = "uniform", min = 2, max = 9 }}
content = {{ kind = "random_ids" }}
[output]
length = {{ dist = "uniform", min = 1, max = 6 }}
)";

AnswerPolicy as_asked() {
  return [](const AskedRequest& asked) { return paced_answer(asked.max_tokens, 1ms); };
}

Result<WorkloadSpec> spec_in(const std::string& text, const std::string& name) {
  const auto document = parse_document(text, name);
  if (document.has_error()) return document.error();
  return read_spec(*document);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A run on the known-answer server, written to `folder`.
Result<RunResult> made_result(const fs::path& folder) {
  const std::string text = fmt::format(kWorkload, kRequests, 400);
  const auto spec = spec_in(text, "selftest.toml");
  if (spec.has_error()) return spec.error();
  const KnownAnswerServer server({.policy = as_asked()});
  RunSettings settings;
  settings.run_id = new_run_id();
  settings.folder = folder;
  settings.workload_text = text;
  settings.command_line = {"mie", "bench", "selftest"};
  settings.probes = false;
  HttpTargets targets(server.url(), {}, folder, "known");
  Interrupt interrupt;
  Watcher nobody;
  auto result = run_workload(*spec, settings, targets, {interrupt, nobody});
  if (result.has_error()) return result;
  if (auto error = write_result(*result, folder)) return *error;
  return result;
}

SelfTestPoint point(int number, std::string check, std::string figure, std::string wanted) {
  const bool passed = figure == wanted;
  return {
      .number = number, .check = std::move(check), .figure = std::move(figure), .limit = std::move(wanted), .passed = passed};
}

std::string validity_of(const fs::path& result) {
  const auto found = check_result(result.string());
  return found.has_error() ? found.error().message : "validates";
}

// A line does not hold tokens and text, but their hash.
RequestRecord as_in_a_line(RequestRecord record) {
  record.tokens.clear();
  record.text.clear();
  return record;
}

std::string requests_read_back(const RunResult& result, const fs::path& folder) {
  std::ifstream in(folder / "requests.jsonl");
  const auto lines = read_request_lines(in);
  if (lines.has_error()) return lines.error().message;
  int n_same = 0;
  for (std::size_t i = 0; i < lines->size() && i < result.records.size(); ++i)
    n_same += request_line(as_in_a_line(result.records[i])) == request_line((*lines)[i].record) &&
                      token_hash_of(result.records[i]) == (*lines)[i].token_hash
                  ? 1
                  : 0;
  return fmt::format("{} of {}", n_same, lines->size());
}

// What the specification in the file hashes and expands to.
std::string hashes_read_back(const fs::path& folder) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.load((folder / "result.json").string()).get(root) != simdjson::SUCCESS) return "not JSON";
  const auto spec = spec_in(simdjson::minify(simdjson::dom::element(root["spec"])), "result.json");
  if (spec.has_error()) return spec.error().message;
  const auto expanded = expand(*spec, folder);
  return expanded.has_error() ? expanded.error().message : spec_sha256(*spec) + expanded->sha256();
}

SelfTestPoint changed_count(const fs::path& folder) {
  std::string text = text_of(folder / "result.json");
  const std::string right = fmt::format("\"offered\":{}", kRequests);
  const auto at = text.find(right);
  if (at == std::string::npos) return point(9, "a result with another count", "no such count", "refused");
  text.replace(at, right.size(), fmt::format("\"offered\":{}", kRequests + 1));
  std::ofstream(folder / "result.json", std::ios::binary) << text;
  return point(9, "a result with another count", validity_of(folder / "result.json") == "validates" ? "validates" : "refused",
               "refused");
}

// Started as a program of its own and killed while it loads; then each file that it left is looked at.
SelfTestPoint killed_run() {
  const std::string check = fmt::format("files of a run killed (-9) after {} requests that validate", kKilledAfter);
  const ScratchFolder scratch;
  std::ofstream(scratch.path() / "selftest.toml") << fmt::format(kWorkload, 4000, 100);
  const KnownAnswerServer server({.policy = as_asked()});
  Child run({this_program(), "run", (scratch.path() / "selftest.toml").string(), "--url", server.url(), "--out",
             (scratch.path() / "out").string(), "--no-probes", "--quiet"});
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (server.figures().requests < kKilledAfter && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(5ms);
  const bool loading = server.figures().requests >= kKilledAfter;
  run.kill();
  run.wait();
  int n_valid = 0;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(scratch.path() / "out", none)) {
    if (!entry.is_regular_file()) continue;
    n_valid += entry.path().filename() == "result.json" || check_result(entry.path().string()).has_value() ? 1 : 0;
  }
  return point(10, check, loading ? fmt::format("{}", n_valid) : "it did not load", "0");
}

}  // namespace

SelfTestPoints check_result_file() {
  const ScratchFolder scratch;
  const auto result = made_result(scratch.path());
  if (result.has_error()) return {point(9, "a run that is written", result.error().message, "a result")};
  return {
      point(9, "a result that was written", validity_of(scratch.path() / "result.json"), "validates"),
      point(9, "its requests, read back", requests_read_back(*result, scratch.path()), fmt::format("{0} of {0}", kRequests)),
      point(9, "its specification, read back, has and expands to the same hash",
            hashes_read_back(scratch.path()) == spec_sha256(result->spec) + result->expanded_sha256 ? "the same" : "another",
            "the same"),
      changed_count(scratch.path())};
}

SelfTestPoints check_killed_run() {
  SelfTestPoints out = {killed_run()};
  const ScratchFolder scratch;
  const auto result = made_result(scratch.path());
  const std::string text = result.has_error() ? std::string() : text_of(scratch.path() / "result.json");
  int n_refused = 0;
  for (std::size_t i = 0; i < kCuts; ++i) {
    std::ofstream(scratch.path() / "result.json", std::ios::binary) << text.substr(0, text.size() * i / kCuts);
    n_refused += validity_of(scratch.path() / "result.json") == "validates" ? 0 : 1;
  }
  out.push_back(point(10, "results that are cut off somewhere and refused",
                      text.empty() ? "no result" : fmt::format("{} of {}", n_refused, kCuts),
                      fmt::format("{0} of {0}", kCuts)));
  return out;
}

}  // namespace mie::bench
