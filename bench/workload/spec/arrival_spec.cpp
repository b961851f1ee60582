#include "bench/workload/spec/arrival_spec.h"

#include <array>

namespace mie::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::array kLaws = {"burst"sv, "closed"sv, "constant"sv, "poisson"sv, "gamma"sv,
                              "onoff"sv, "sine"sv,   "steps"sv,    "trace"sv};
constexpr std::array kOverflows = {"queue"sv, "drop"sv};

void needed(Fields& fields, std::string_view name, double& value, NumberRange range = kPositive) {
  fields.required(name);
  fields.field(name, value, range);
}

void describe_closed(Fields& fields, ArrivalSpec& spec) {
  fields.required("concurrency");
  fields.field("concurrency", spec.concurrency, {1, 1'000'000});
  fields.field("think_s", spec.think_s);
  fields.field("ramp_s", spec.ramp_s, {0, 1e7});
}

void describe_sine(Fields& fields, ArrivalSpec& spec) {
  needed(fields, "mean", spec.mean);
  needed(fields, "amp", spec.amp, kNatural);
  needed(fields, "period", spec.period);
  if (spec.amp > spec.mean) fields.refuse("amp", "must not be above mean: a rate is not negative");
}

void describe_steps(Fields& fields, ArrivalSpec& spec) {
  fields.required("steps");
  fields.field("steps", spec.steps);
  double total = 0;
  for (const RateStep& step : spec.steps) total += step.rate;
  if (total <= 0) fields.refuse("steps", "must have a step with a rate above 0");
}

void describe_trace(Fields& fields, ArrivalSpec& spec) {
  fields.required("file");
  fields.field("file", spec.file);
  fields.field("scale", spec.scale, kPositive);
  fields.field("clip", spec.clip, kNatural);
}

void describe_law(Fields& fields, ArrivalSpec& spec) {
  switch (spec.law) {
    case ArrivalLaw::kBurst:
      return;
    case ArrivalLaw::kClosed:
      return describe_closed(fields, spec);
    case ArrivalLaw::kConstant:
    case ArrivalLaw::kPoisson:
      return needed(fields, "rate", spec.rate);
    case ArrivalLaw::kGamma:
      needed(fields, "rate", spec.rate);
      return needed(fields, "shape", spec.shape, {1e-3, 1e6});
    case ArrivalLaw::kOnoff:
      needed(fields, "rate", spec.rate);
      needed(fields, "on_s", spec.on_s);
      return needed(fields, "off_s", spec.off_s, kNatural);
    case ArrivalLaw::kSine:
      return describe_sine(fields, spec);
    case ArrivalLaw::kSteps:
      return describe_steps(fields, spec);
    case ArrivalLaw::kTrace:
      return describe_trace(fields, spec);
  }
}

}  // namespace

void RateStep::describe(Fields& fields) {
  needed(fields, "rate", rate, kNatural);
  needed(fields, "s", s);
}

void ArrivalSpec::describe(Fields& fields) {
  fields.required("law");
  fields.choice("law", law, kLaws);
  if (fields.failed()) return;
  describe_law(fields, *this);
  fields.field("max_in_flight", max_in_flight, IntegerRange{1, 1'000'000});
  fields.choice("overflow", overflow, kOverflows);
}

}  // namespace mie::bench
