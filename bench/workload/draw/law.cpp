#include "bench/workload/draw/law.h"

#include "core/base/ensure.h"

#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mie::bench {
namespace {

class PointsLaw final : public Law {
 public:
  PointsLaw(const std::vector<double>& values, const std::vector<double>& weights) {
    std::vector<std::pair<double, double>> points;
    points.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) points.emplace_back(values[i], weights[i]);
    std::ranges::sort(points);
    double sum = 0;
    for (const auto& [value, weight] : points) {
      values_.push_back(value);
      sums_.push_back(sum += weight);
    }
    for (double& upto : sums_) upto /= sum;
  }

  double below(double x) const override { return sum_before(std::ranges::lower_bound(values_, x)); }
  double upto(double x) const override { return sum_before(std::ranges::upper_bound(values_, x)); }

  double quantile(double p) const override {
    const auto at = std::ranges::upper_bound(sums_, p) - sums_.begin();
    return values_[static_cast<std::size_t>(std::min(at, std::ssize(sums_) - 1))];
  }

 private:
  double sum_before(std::vector<double>::const_iterator end) const {
    return end == values_.begin() ? 0 : sums_[static_cast<std::size_t>(end - values_.begin()) - 1];
  }

  std::vector<double> values_;  // sorted
  std::vector<double> sums_;    // of the weights up to here, the last being 1
};

// Equal weight on a … b, both included.
class IntegersLaw final : public Law {
 public:
  IntegersLaw(double a, double b) : first_(std::ceil(a)), n_(std::floor(b) - std::ceil(a) + 1) {}

  double below(double x) const override { return std::clamp((std::ceil(x) - first_) / n_, 0.0, 1.0); }
  double upto(double x) const override { return std::clamp((std::floor(x) - first_ + 1) / n_, 0.0, 1.0); }
  double quantile(double p) const override { return first_ + std::min(std::floor(p * n_), n_ - 1); }

 private:
  double first_, n_;
};

// Piecewise uniform.
class HistogramLaw final : public Law {
 public:
  HistogramLaw(std::vector<double> edges, const std::vector<double>& counts) : edges_(std::move(edges)), sums_{0} {
    for (const double count : counts) sums_.push_back(sums_.back() + count);
    const double total = sums_.back();
    for (double& sum : sums_) sum /= total;
  }

  double below(double x) const override { return upto(x); }
  double upto(double x) const override { return between(edges_, sums_, x); }
  double quantile(double p) const override { return between(sums_, edges_, p); }

 private:
  static double between(const std::vector<double>& from, const std::vector<double>& to, double x) {
    const auto above = std::ranges::upper_bound(from, x);
    if (above == from.begin()) return to.front();
    if (above == from.end()) return to.back();
    const auto i = static_cast<std::size_t>(above - from.begin());
    return to[i - 1] + (to[i] - to[i - 1]) * (x - from[i - 1]) / (from[i] - from[i - 1]);
  }

  std::vector<double> edges_, sums_;
};

template <class Distribution>
class SmoothLaw final : public Law {
 public:
  SmoothLaw(Distribution distribution, double least) : distribution_(distribution), least_(least) {}

  double below(double x) const override { return upto(x); }
  double upto(double x) const override { return x <= least_ ? 0 : boost::math::cdf(distribution_, x); }
  double quantile(double p) const override { return boost::math::quantile(distribution_, p); }

 private:
  Distribution distribution_;
  double least_;  // of the support
};

template <class Distribution>
std::unique_ptr<Law> smooth(Distribution distribution, double least) {
  return std::make_unique<SmoothLaw<Distribution>>(distribution, least);
}

std::unique_ptr<Law> make_lognormal(const LengthSpec& spec) {
  const double sigma = spec.sigma ? *spec.sigma : std::sqrt(std::log1p(*spec.cv * *spec.cv));
  const double location = spec.median ? std::log(*spec.median) : std::log(*spec.mean) - sigma * sigma / 2;
  return smooth(boost::math::lognormal_distribution(location, sigma), 0);
}

std::unique_ptr<Law> make_zipf(int n, double s) {
  std::vector<double> ranks, weights;
  for (int k = 1; k <= n; ++k) {
    ranks.push_back(k);
    weights.push_back(std::pow(k, -s));
  }
  return make_points_law(std::move(ranks), std::move(weights));
}

}  // namespace

std::unique_ptr<Law> make_points_law(std::vector<double> values, std::vector<double> weights) {
  if (weights.empty()) weights.assign(values.size(), 1);
  return std::make_unique<PointsLaw>(values, weights);
}

std::unique_ptr<Law> make_law(const LengthSpec& spec, Domain domain) {
  switch (spec.law) {
    case LengthLaw::kFixed:
      return make_points_law({spec.value}, {});
    case LengthLaw::kUniform:
      if (domain == Domain::kTokens) return std::make_unique<IntegersLaw>(*spec.min, *spec.max);
      if (*spec.min == *spec.max) return make_points_law({*spec.min}, {});
      return std::make_unique<HistogramLaw>(std::vector{*spec.min, *spec.max}, std::vector{1.0});
    case LengthLaw::kEmpirical:
      return make_points_law(spec.values, spec.weights);
    case LengthLaw::kNormal:
      return smooth(boost::math::normal_distribution(*spec.mean, *spec.sd), std::numeric_limits<double>::lowest());
    case LengthLaw::kLognormal:
      return make_lognormal(spec);
    case LengthLaw::kGamma: {
      const double squared_cv = *spec.cv * *spec.cv;
      return smooth(boost::math::gamma_distribution(1 / squared_cv, *spec.mean * squared_cv), 0);
    }
    case LengthLaw::kZipf:
      return make_zipf(spec.n, spec.s);
    case LengthLaw::kHistogram:
      return std::make_unique<HistogramLaw>(spec.edges, spec.counts);
    case LengthLaw::kMixture:
    case LengthLaw::kTrace:
      break;
  }
  ENSURE(false, "a law that is made of others");
  return nullptr;
}

}  // namespace mie::bench
