#include "bench/workload/spec/length_spec.h"

#include <algorithm>
#include <array>

namespace mie::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::array kLaws = {"fixed"sv, "uniform"sv, "empirical"sv, "normal"sv,  "lognormal"sv,
                              "gamma"sv, "zipf"sv,    "histogram"sv, "mixture"sv, "trace"sv};
constexpr std::array kColumns = {"prompt_tokens"sv, "output_tokens"sv};

void describe_empirical(Fields& fields, LengthSpec& spec) {
  fields.required("values");
  fields.field("values", spec.values);
  if (fields.given("weights") || !spec.weights.empty()) fields.field("weights", spec.weights, kNatural);
  if (spec.values.empty()) fields.refuse("values", "must not be empty");
  if (!spec.weights.empty() && spec.weights.size() != spec.values.size())
    fields.refuse("weights", "must be as many as the values");
  if (!spec.weights.empty() && std::ranges::count(spec.weights, 0.0) == std::ssize(spec.weights))
    fields.refuse("weights", "must not all be 0");
}

void describe_lognormal(Fields& fields, LengthSpec& spec) {
  fields.field("median", spec.median, kPositive);
  fields.field("sigma", spec.sigma, kPositive);
  fields.field("mean", spec.mean, kPositive);
  fields.field("cv", spec.cv, kPositive);
  const bool by_median = spec.median && spec.sigma && !spec.mean && !spec.cv;
  const bool by_mean = spec.mean && spec.cv && !spec.median && !spec.sigma;
  if (!by_median && !by_mean) fields.refuse("dist", "needs either median and sigma or mean and cv");
}

void describe_histogram(Fields& fields, LengthSpec& spec) {
  fields.required("edges");
  fields.required("counts");
  fields.field("edges", spec.edges);
  fields.field("counts", spec.counts, kNatural);
  if (spec.edges.size() != spec.counts.size() + 1 || spec.counts.empty())
    fields.refuse("edges", "must be one more than the counts");
  if (!std::ranges::is_sorted(spec.edges, std::less_equal<>{})) fields.refuse("edges", "must grow");
  if (std::ranges::count(spec.counts, 0.0) == std::ssize(spec.counts)) fields.refuse("counts", "must not all be 0");
}

void describe_law(Fields& fields, LengthSpec& spec) {
  const auto number = [&fields](std::string_view name, std::optional<double>& value, NumberRange range) {
    fields.required(name);
    fields.field(name, value, range);
  };
  switch (spec.law) {
    case LengthLaw::kFixed:
      fields.required("value");
      return fields.field("value", spec.value);
    case LengthLaw::kUniform:
      fields.required("min");
      return fields.required("max");
    case LengthLaw::kEmpirical:
      return describe_empirical(fields, spec);
    case LengthLaw::kNormal:
      number("mean", spec.mean, {});
      return number("sd", spec.sd, kPositive);
    case LengthLaw::kLognormal:
      return describe_lognormal(fields, spec);
    case LengthLaw::kGamma:
      number("mean", spec.mean, kPositive);
      return number("cv", spec.cv, kPositive);
    case LengthLaw::kZipf:
      fields.required("s");
      fields.required("n");
      fields.field("s", spec.s, {0, 100});
      return fields.field("n", spec.n, {1, 1'000'000});
    case LengthLaw::kHistogram:
      return describe_histogram(fields, spec);
    case LengthLaw::kMixture:
      fields.required("parts");
      fields.field("parts", spec.parts);
      if (spec.parts.empty()) fields.refuse("parts", "must not be empty");
      return;
    case LengthLaw::kTrace:
      fields.required("column");
      return fields.choice("column", spec.column, kColumns);
  }
}

}  // namespace

void LengthSpec::describe(Fields& fields) {
  fields.required("dist");
  fields.choice("dist", law, kLaws);
  if (fields.failed()) return;
  describe_law(fields, *this);
  fields.field("min", min);
  fields.field("max", max);
  if (min && max && *min > *max) fields.refuse("min", "is above max");
}

LengthSpec LengthSpec::of_trace(TraceColumn column) {
  LengthSpec spec;
  spec.law = LengthLaw::kTrace;
  spec.column = column;
  return spec;
}

void MixturePart::describe(Fields& fields) {
  fields.required("weight");
  fields.field("weight", weight, kPositive);
  law.describe(fields);
  if (law.law == LengthLaw::kTrace) fields.refuse("dist", "cannot be a part: a trace is not drawn");
}

}  // namespace mie::bench
