#include "bench/workload/spec/target_spec.h"

#include <array>

namespace mie::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::array kKinds = {"http"sv, "inproc"sv, "sim"sv};
constexpr std::array kEndpoints = {"completions"sv, "chat"sv};

}  // namespace

std::string_view name_of(TargetKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

void ExpectSpec::describe(Fields& fields) {
  fields.field("weights_sha256", weights_sha256);
  fields.field("tokenizer_sha256", tokenizer_sha256);
  fields.field("revision", revision);
  fields.field("dtype", dtype);
  fields.field("quantisation", quantisation);
}

void TargetSpec::describe(Fields& fields) {
  fields.choice("kind", kind, kKinds);
  fields.field("url", url);
  fields.choice("endpoint", endpoint, kEndpoints);
  fields.field("model", model);
  fields.field("api_key_env", api_key_env);
  fields.field("headers", headers);
  fields.field("expect", expect);
}

void SamplingSpec::describe(Fields& fields) {
  fields.field("temperature", temperature, {0, 100});
  fields.field("top_p", top_p, kShare);
  fields.field("top_k", top_k);
  fields.field("min_p", min_p, kShare);
  fields.field("repetition_penalty", repetition_penalty, {1e-3, 100});
  fields.field("presence_penalty", presence_penalty, {-2, 2});
  fields.field("frequency_penalty", frequency_penalty, {-2, 2});
  fields.field("seed_per_request", seed_per_request);
  fields.field("logprobs", logprobs, {0, 20});
}

void StreamSpec::describe(Fields& fields) {
  fields.field("enabled", enabled);
  fields.field("include_usage", include_usage);
  fields.field("timings", timings);
}

}  // namespace mie::bench
