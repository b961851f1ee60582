#include "bench/workload/spec/workload_spec.h"

#include "bench/workload/spec/contradictions.h"
#include "core/base/file_digest.h"

#include <array>

namespace mie::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::array kSchemas = {kWorkloadSchema};
constexpr std::array kScenarios = {"S1"sv, "S2"sv, "S3"sv, "S4"sv, "free"sv};
constexpr std::array kCompats = {"none"sv, "python"sv};

}  // namespace

void WorkloadSpec::describe(Fields& fields) {
  for (const auto key : {"schema", "name", "seed", "requests", "prompt", "arrival"}) fields.required(key);
  std::size_t schema = 0;
  fields.choice("schema", schema, kSchemas);
  fields.field("name", name);
  fields.field("description", description);
  fields.choice("scenario", scenario, kScenarios);
  fields.field("seed", seed, {0, std::numeric_limits<std::int64_t>::max()});
  fields.choice("compat", compat, kCompats);
  fields.field("target", target);
  fields.field("requests", requests);
  fields.field("prompt", prompt);
  if (prompt.source == PromptSource::kTrace && !output.length && !fields.writing())
    output.length = LengthSpec::of_trace(TraceColumn::kOutputTokens);
  fields.field("output", output);
  fields.field("prefix", prefix);
  fields.field("sessions", sessions);
  fields.field("sampling", sampling);
  fields.field("stream", stream);
  fields.field("arrival", arrival);
  fields.field("clients", clients);
  fields.field("warmup", warmup);
  fields.field("steady", steady);
  fields.field("repetitions", repetitions);
  fields.field("arms", arms);
  fields.field("sweep", sweep);
  fields.field("slo", slo);
  fields.field("goodput_target", goodput_target, kShare);
  fields.field("checks", checks);
  fields.field("report", report);
}

Result<WorkloadSpec> read_spec(const Document& document) {
  WorkloadSpec spec;
  if (auto error = read_fields(document, spec)) return *error;
  if (const auto found = contradiction(spec)) return fault_at(document, found->path, found->text);
  return spec;
}

std::string canonical_json(const WorkloadSpec& spec) { return canonical_json(write_fields(spec)); }

std::string spec_sha256(const WorkloadSpec& spec) {
  const std::string text = canonical_json(spec);
  return sha256_of(std::as_bytes(std::span(text)));
}

}  // namespace mie::bench
