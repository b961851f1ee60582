#include "bench/workload/cli/validate_command.h"

#include "bench/result/result_check.h"
#include "bench/workload/spec_file.h"
#include "server/exit_codes.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

namespace mie {
namespace {

// A specification is valid if it can be expanded: the files that it names are part of it.
Result<std::string> validate_workload(const std::string& path) {
  const auto file = bench::load_spec_file(path);
  if (file.has_error()) return file.error();
  for (const bench::WorkloadSpec& spec : file->cells) {
    const auto expanded = bench::expand(spec, file->folder);
    if (expanded.has_error()) return expanded.error();
  }
  if (file->swept) return fmt::format("a sweep of {} workloads", file->cells.size());
  return fmt::format("a workload, spec_sha256 {}", bench::spec_sha256(file->cells.front()));
}

// A file of JSON may hold null where a specification may not, so it is only looked into.
Result<std::string> schema_of(const std::string& path) {
  const auto text = bench::read_text_file(path);
  if (text.has_error()) return text.error();
  if (text->starts_with('{')) {
    simdjson::dom::parser parser;
    std::string_view name;
    if (parser.parse(*text)["schema"].get(name) == simdjson::SUCCESS) return std::string(name);
  }
  const auto document = bench::read_document(path);
  if (document.has_error()) return document.error();
  const bench::Value* name = bench::find(document->root, "schema");
  const std::string* given = name == nullptr ? nullptr : name->as<std::string>();
  if (given == nullptr) return bench::fault_at(*document, "schema", "must be given, as a string");
  return *given;
}

// What may be validated: the value of `schema`, and who judges such a file and says what it is.
struct Schema {
  std::string_view name;
  Result<std::string> (*validate)(const std::string& path);
};
constexpr std::array kSchemas = {Schema{bench::kWorkloadSchema, validate_workload},
                                 Schema{bench::kResultSchema, bench::check_result}};

}  // namespace

ValidateBench::ValidateBench(CLI::App& command) {
  command.add_option("FILE", path_, "a workload specification, or the result.json of a run")->required()->type_name("");
}

Result<int> ValidateBench::run() {
  const auto name = schema_of(path_);
  if (name.has_error()) return name.error();
  const auto schema = std::ranges::find(kSchemas, *name, &Schema::name);
  if (schema == kSchemas.end())
    return Error{Errc::kConfig, std::filesystem::path(path_).filename().string() + ": schema is none that is known here", ""};
  const auto what = schema->validate(path_);
  if (what.has_error()) return what.error();
  std::printf("%s: %s\n", std::filesystem::path(path_).filename().c_str(), what->c_str());
  return kExitClean;
}

}  // namespace mie
