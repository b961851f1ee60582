#include "bench/result/result_check.h"

#include "bench/load/request_file.h"
#include "bench/metrics/aggregates.h"
#include "bench/workload/expand/expand.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <array>
#include <filesystem>
#include <optional>
#include <utility>

namespace mie::bench {
namespace {

constexpr std::array kMembers = {"run_id",      "created_utc",     "command_line", "tool",       "spec",
                                 "spec_sha256", "expanded_sha256", "host",         "server",     "client",
                                 "windows",     "counts",          "metrics",      "throughput", "timeseries",
                                 "repetitions", "checks",          "validity",     "reproduce"};

// result.json, and where it lies.
struct ResultFile {
  std::filesystem::path path;
  simdjson::dom::parser parser{};
  simdjson::dom::element root{};

  [[nodiscard]] Error fault(std::string_view member, std::string_view text) const {
    return {Errc::kConfig, fmt::format("{}: {} {}", path.filename().string(), member, text), ""};
  }
  // `pointer`: as "/counts/offered".
  [[nodiscard]] std::string text_at(std::string_view pointer) const {
    std::string_view text;
    return root.at_pointer(pointer).get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
  }
  [[nodiscard]] std::optional<std::int64_t> integer_at(std::string_view pointer) const {
    std::int64_t number = 0;
    return root.at_pointer(pointer).get(number) == simdjson::SUCCESS ? std::optional(number) : std::nullopt;
  }
};

// The specification that the result carries, read as one: its hash must come out as it is written.
Result<WorkloadSpec> spec_of(const ResultFile& file) {
  const std::string written = simdjson::minify(simdjson::dom::element(file.root["spec"]));
  const auto parsed = parse_document(written, file.path.filename().string() + ": spec");
  if (parsed.has_error()) return parsed.error();
  auto spec = read_spec(*parsed);
  if (spec.has_value() && spec_sha256(*spec) != file.text_at("/spec_sha256"))
    return file.fault("spec_sha256", "is not the hash of the specification");
  return spec;
}

// Where the specification needs files, they are looked for beside the result; what is not there cannot be compared.
std::optional<Error> check_expansion(const ResultFile& file, const WorkloadSpec& spec) {
  const auto expanded = expand(spec, file.path.parent_path());
  const bool needs_files = !spec.prompt.file.empty() || !spec.prompt.content.file.empty() || !spec.arrival.file.empty();
  if (expanded.has_error()) return needs_files ? std::nullopt : std::optional(expanded.error());
  if (expanded->sha256() == file.text_at("/expanded_sha256")) return {};
  return file.fault("expanded_sha256", "is not the hash of the requests that the specification means");
}

Result<std::vector<RequestRecord>> requests_of(const std::filesystem::path& file) {
  auto lines = read_request_file(file);
  if (lines.has_error()) return lines.error();
  std::vector<RequestRecord> records;
  for (RequestLine& line : *lines) records.push_back(std::move(line.record));
  return records;
}

std::optional<Error> check_counts(const ResultFile& file, std::span<const RequestRecord> records) {
  const Window window{file.integer_at("/windows/steady/a_ns").value_or(0), file.integer_at("/windows/steady/b_ns").value_or(0)};
  const Counts counts = counts_of(records, window);
  const auto differs = [&](std::string_view name, std::int64_t count) -> std::optional<Error> {
    if (file.integer_at(fmt::format("/counts/{}", name)).value_or(0) == count) return {};
    return file.fault(fmt::format("counts.{}", name), fmt::format("is not {}, as the requests have it", count));
  };
  const std::pair<std::string_view, std::int64_t> wanted[] = {{"offered", counts.offered},
                                                              {"sent", counts.sent},
                                                              {"tokens_in", counts.prompt_tokens},
                                                              {"tokens_out", counts.output_tokens},
                                                              {"tokens_cached", counts.cached_tokens}};
  for (const auto& [name, count] : wanted) {
    if (auto error = differs(name, count)) return error;
  }
  for (std::size_t i = 0; i < kStatuses.size(); ++i) {
    if (auto error = differs(fmt::format("by_status/{}", name_of(kStatuses[i])), counts.by_status[i])) return error;
  }
  return {};
}

}  // namespace

Result<std::string> check_result(const std::string& path) {
  ResultFile file{.path = path};
  if (const auto failed = file.parser.load(path).get(file.root); failed != simdjson::SUCCESS)
    return Error{Errc::kConfig, path + ": " + simdjson::error_message(failed), ""};
  for (const char* member : kMembers) {
    if (file.root[member].error() != simdjson::SUCCESS) return file.fault(member, "is missing");
  }
  const auto spec = spec_of(file);
  if (spec.has_error()) return spec.error();
  if (auto error = check_expansion(file, *spec)) return *error;
  const auto records = requests_of(file.path.parent_path() / "requests.jsonl");
  if (records.has_error()) return records.error();
  if (auto error = check_counts(file, *records)) return *error;
  return fmt::format("a result of {} requests, {}, spec_sha256 {}", records->size(), file.text_at("/validity/state"),
                     spec_sha256(*spec));
}

}  // namespace mie::bench
