#include "bench/workload/cli/validate_command.h"

#include "bench/workload/spec_file.h"
#include "server/exit_codes.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

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

// What may be validated: the value of `schema`, and who judges such a file and says what it is.
struct Schema {
  std::string_view name;
  Result<std::string> (*validate)(const std::string& path);
};
constexpr std::array kSchemas = {Schema{bench::kWorkloadSchema, validate_workload}};

}  // namespace

ValidateBench::ValidateBench(CLI::App& command) {
  command.add_option("FILE", path_, "a workload specification")->required()->type_name("");
}

Result<int> ValidateBench::run() {
  const auto document = bench::read_document(path_);
  if (document.has_error()) return document.error();
  const bench::Value* name = bench::find(document->root, "schema");
  const std::string* given = name == nullptr ? nullptr : name->as<std::string>();
  if (given == nullptr) return bench::fault_at(*document, "schema", "must be given, as a string");
  const auto schema = std::ranges::find(kSchemas, *given, &Schema::name);
  if (schema == kSchemas.end()) return bench::fault_at(*document, "schema", "is none that is known here");
  const auto what = schema->validate(path_);
  if (what.has_error()) return what.error();
  std::printf("%s: %s\n", document->name.c_str(), what->c_str());
  return kExitClean;
}

}  // namespace mie
