#include "bench/workload/spec/run_spec.h"

#include "bench/workload/spec/verdict_spec.h"

#include <array>

namespace mie::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::array kFlushes = {"never"sv, "before"sv, "between"sv};
constexpr std::array kModes = {"detect"sv, "fixed"sv};
constexpr std::array kOrders = {"interleaved"sv, "blocked"sv};
constexpr std::array kServerLives = {"fresh"sv, "kept"sv};

}  // namespace

void PrecisionSpec::describe(Fields& fields) {
  for (const auto name : {"metric", "quantile", "rel_ci", "max_s"}) fields.required(name);
  describe_metric(fields, metric);
  fields.field("quantile", quantile, kShare);
  fields.field("rel_ci", rel_ci, {1e-4, 1});
  fields.field("max_s", max_s, {1e-3, 1e7});
}

void RequestsSpec::describe(Fields& fields) {
  fields.field("count", count, IntegerRange{1, 4'000'000});
  fields.field("duration_s", duration_s, NumberRange{1e-3, 1e7});
  fields.field("precision", precision);
}

void WarmupSpec::describe(Fields& fields) {
  fields.field("requests", requests, {0, 1'000'000});
  fields.field("seconds", seconds, {0, 1'000'000});
  fields.choice("flush", flush, kFlushes);
  if (requests > 0 && seconds > 0) fields.refuse("seconds", "and requests exclude each other");
}

void SteadySpec::describe(Fields& fields) {
  fields.choice("mode", mode, kModes);
  fields.field("skip_s", skip_s, kNatural);
  fields.field("tail_s", tail_s, kNatural);
  if (mode == SteadyMode::kDetect && (skip_s > 0 || tail_s > 0)) fields.refuse("mode", "must be fixed with skip_s or tail_s");
}

void RepetitionsSpec::describe(Fields& fields) {
  fields.field("n", n, {1, 10'000});
  fields.choice("order", order, kOrders);
  fields.choice("server", server, kServerLives);
  fields.field("retries", retries, {0, 10'000});
  fields.field("cooldown_s", cooldown_s, kNatural);
}

void ArmSpec::describe(Fields& fields) {
  fields.required("name");
  fields.field("name", name);
  fields.field("server", server);
  for (const auto& [key, value] : server) {
    if (value.as<Value::List>() != nullptr || value.as<Value::Table>() != nullptr)
      fields.refuse("server", key + " must be a string, a number or a boolean");
  }
}

}  // namespace mie::bench
