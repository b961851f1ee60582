#include "bench/quality/figures.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mie::quality {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double log_of_sum(std::span<const float> logprobs) {
  const double max = *std::max_element(logprobs.begin(), logprobs.end());
  double sum = 0;
  for (const float value : logprobs) sum += std::exp(value - max);
  return max + std::log(sum);
}

double mean(std::span<const PositionFigures> positions, auto figure) {
  double sum = 0;
  for (const PositionFigures& position : positions) sum += figure(position);
  return sum / static_cast<double>(positions.size());
}

// Standard error of the mean KL: deviation of one position over the square root of their number.
double error_of_mean_kl(std::span<const PositionFigures> positions, double mean_kl) {
  if (positions.size() < 2) return kInfinity;
  const double squares = mean(positions, [&](const auto& p) { return (p.kl - mean_kl) * (p.kl - mean_kl); });
  return std::sqrt(squares / static_cast<double>(positions.size() - 1));
}

}  // namespace

PositionFigures compare(const ScoredRow& reference, const ScoredRow& other, TokenId next) {
  ENSURE(reference.logprobs.size() == other.logprobs.size(), "two rows of one vocabulary");
  // Rows come as floats; normalising them again takes the common rounding of a row out of the comparison.
  const double reference_norm = log_of_sum(reference.logprobs);
  const double other_norm = log_of_sum(other.logprobs);
  PositionFigures figures;
  for (std::size_t id = 0; id < reference.logprobs.size(); ++id) {
    const double log_p = reference.logprobs[id] - reference_norm;
    if (log_p == -kInfinity) continue;  // p ln p tends to 0
    figures.kl += std::exp(log_p) * (log_p - (other.logprobs[id] - other_norm));
  }
  const auto at = static_cast<std::size_t>(next.value());
  figures.same_greedy = reference.greedy == other.greedy;
  figures.reference_logprob = reference.logprobs.at(at) - reference_norm;
  figures.logprob = other.logprobs.at(at) - other_norm;
  return figures;
}

double quantile(std::span<const double> ascending, double q) {
  ENSURE(!ascending.empty() && 0 <= q && q <= 1, "a quantile of something");
  const double at = q * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return ascending[below] + (at - static_cast<double>(below)) * (ascending[above] - ascending[below]);
}

Summary summarise(std::span<const PositionFigures> positions) {
  ENSURE(!positions.empty(), "figures of at least one position");
  std::vector<double> kl;
  Summary summary;
  summary.n_positions = static_cast<std::int64_t>(positions.size());
  for (const PositionFigures& position : positions) {
    kl.push_back(position.kl);
    summary.max_logprob_difference =
        std::max(summary.max_logprob_difference, std::abs(position.logprob - position.reference_logprob));
  }
  std::sort(kl.begin(), kl.end());
  summary.mean_kl = mean(positions, [](const auto& p) { return p.kl; });
  summary.mean_kl_error = error_of_mean_kl(positions, summary.mean_kl);
  summary.median_kl = quantile(kl, 0.5);
  summary.p99_kl = quantile(kl, 0.99);
  summary.max_kl = kl.back();
  summary.greedy_agreement = mean(positions, [](const auto& p) { return p.same_greedy ? 1.0 : 0.0; });
  summary.reference_perplexity = std::exp(-mean(positions, [](const auto& p) { return p.reference_logprob; }));
  summary.perplexity = std::exp(-mean(positions, [](const auto& p) { return p.logprob; }));
  summary.rms_probability_difference = std::sqrt(mean(positions, [](const auto& p) {
    const double difference = std::exp(p.logprob) - std::exp(p.reference_logprob);
    return difference * difference;
  }));
  return summary;
}

}  // namespace mie::quality
