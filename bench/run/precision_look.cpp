#include "bench/run/precision_look.h"

#include "bench/load/request_lines.h"
#include "bench/result/result_files.h"
#include "bench/run/analysis_program.h"
#include "bench/run/child_process.h"
#include "bench/run/precise_load.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace mie::bench {
namespace {

namespace fs = std::filesystem;

Error bad(std::string message) { return {Errc::kConfig, std::move(message), "requests.precision"}; }

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A file of this folder that is gone with its holder.
class Passing {
 public:
  explicit Passing(fs::path path) : path_(std::move(path)) {}
  ~Passing() {
    std::error_code failed;
    fs::remove(path_, failed);
  }
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// What `bench/analysis/run precise …` printed.
Result<std::string> ask(std::vector<std::string> words, const fs::path& folder) {
  const fs::path program = analysis_program();
  if (program.empty()) return bad("bench/analysis, which decides when a figure is precise, is not beside this build");
  words.insert(words.begin(), {program.string(), "precise"});
  const Passing said(folder / "look.json");
  const auto pid = spawn(words, said.path());
  if (pid.has_error()) return pid.error();
  const int code = exit_code_of(*pid);
  std::string text = text_of(said.path());
  if (code != 0) return bad(fmt::format("bench/analysis ended with {}: {}", code, text));
  return text;
}

Result<PrecisionLook> read_look(const std::string& text) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  PrecisionLook look;
  double half_width = 0;
  const bool read = parser.parse(text).get(root) == simdjson::SUCCESS && root["n"].get(look.n) == simdjson::SUCCESS &&
                    root["confidence"].get(look.confidence) == simdjson::SUCCESS &&
                    root["precise"].get(look.precise) == simdjson::SUCCESS;
  if (!read) return bad("bench/analysis said of a look: " + text);
  double estimate = 0;
  if (root["estimate_s"].get(estimate) == simdjson::SUCCESS) look.estimate_s = estimate;
  if (root["half_width_s"].get(half_width) == simdjson::SUCCESS) look.half_width_s = half_width;
  return look;
}

}  // namespace

std::optional<Error> looks_can_be_taken(const fs::path& folder) {
  const auto said = ask({"--help"}, folder);
  if (said.has_error()) return said.error();
  return {};
}

Result<PrecisionLook> look_at(const RunResult& result, int n_rounds, const fs::path& folder) {
  const PrecisionSpec& wanted = *result.spec.requests.precision;
  const Passing records(folder / "looked-at.jsonl");
  if (const auto error = write_whole(records.path(), request_lines(result.records))) return *error;
  const auto said = ask(
      {records.path().string(), "--metric", std::string(name_of(wanted.metric)), "--quantile",
       fmt::format("{}", wanted.quantile), "--rel-ci", fmt::format("{}", wanted.rel_ci), "--looks", fmt::format("{}", kRounds)},
      folder);
  if (said.has_error()) return said.error();
  auto look = read_look(*said);
  if (look.has_error()) return look.error();
  look->load_s = wanted.max_s * n_rounds / kRounds;
  return look;
}

}  // namespace mie::bench
