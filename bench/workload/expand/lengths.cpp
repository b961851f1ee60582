#include "bench/workload/expand/lengths.h"

#include "bench/compat/python_random.h"
#include "bench/workload/draw/drawn_law.h"
#include "bench/workload/draw/random_stream.h"

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>

namespace mie::bench {
namespace {

enum Lane : std::uint32_t { kPromptLane, kOutputLane };

int python_length(const LengthSpec& spec, PythonRandom& random) {
  if (spec.law == LengthLaw::kFixed) return static_cast<int>(spec.value);
  if (spec.law == LengthLaw::kUniform) return random.uniform(static_cast<int>(*spec.min), static_cast<int>(*spec.max));
  const std::vector<int> values(spec.values.begin(), spec.values.end());
  return random.choice(values);
}

std::vector<Lengths> python_lengths(const WorkloadSpec& spec, std::size_t n) {
  PythonRandom random(static_cast<std::uint64_t>(spec.seed));
  std::vector<Lengths> lengths(n);
  for (Lengths& each : lengths) {
    each.prompt = python_length(*spec.prompt.length, random);
    each.output = python_length(*spec.output.length, random);
  }
  return lengths;
}

// The second of two uniform numbers, made to depend on the first: a Gaussian copula.
double correlated(double first, double second, double rho) {
  if (rho == 0) return second;
  const boost::math::normal_distribution normal(0.0, 1.0);
  const double z =
      rho * boost::math::quantile(normal, first) + std::sqrt(1 - rho * rho) * boost::math::quantile(normal, second);
  return std::clamp(boost::math::cdf(normal, z), 0x1p-53, 1 - 0x1p-53);
}

int trace_length(const LengthSpec& spec, const TraceRow& row) {
  const int tokens = spec.column == TraceColumn::kPromptTokens ? row.prompt_tokens : row.output_tokens;
  return static_cast<int>(std::clamp<double>(tokens, spec.min.value_or(1), spec.max.value_or(1e9)));
}

// One of the two lengths, for any request: drawn, or of a row of the trace.
class Side {
 public:
  Side(const std::optional<LengthSpec>& spec, const Trace& trace) : trace_(trace) {
    if (!spec) return;
    spec_ = *spec;
    if (spec_.law != LengthLaw::kTrace) distribution_ = DrawnLaw::make(spec_, Domain::kTokens).value();
  }

  int at(std::size_t i, double u) const {
    if (distribution_) return distribution_->length(u);
    return trace_.rows.empty() ? 0 : trace_length(spec_, trace_.rows[i % trace_.rows.size()]);
  }

 private:
  const Trace& trace_;
  LengthSpec spec_;
  std::optional<DrawnLaw> distribution_;
};

}  // namespace

std::vector<Lengths> draw_lengths(const WorkloadSpec& spec, const Inputs& inputs, Phase phase, std::size_t n) {
  if (spec.compat == Compat::kPython) return python_lengths(spec, n);
  const RandomStream random("lengths", spec.seed);
  const Side prompt(spec.prompt.length, inputs.lengths), output(spec.output.length, inputs.lengths);
  std::vector<Lengths> lengths(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t index = phase == Phase::kWarmup ? warmup_index(i) : i;
    const double first = random.uniform(index, kPromptLane);
    lengths[i] = {.prompt = prompt.at(i, first),
                  .output = output.at(i, correlated(first, random.uniform(index, kOutputLane), spec.output.rho))};
    if (inputs.prompts.empty()) continue;
    const FilePrompt& line = inputs.prompts[i % inputs.prompts.size()];
    lengths[i].prompt = static_cast<int>(line.tokens.size());
    if (line.output_tokens) lengths[i].output = *line.output_tokens;
  }
  return lengths;
}

}  // namespace mie::bench
