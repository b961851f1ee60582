#include "bench/workload/draw/drawn_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mie::bench {
namespace {

constexpr double kLeastMass = 0.01;
constexpr double kMostTokens = 1e9;
constexpr double kMostSeconds = 1e7;
constexpr int kHalvings = 200;  // an interval of lengths or seconds is one double wide long before

// A cut distribution as a law of its own, for mixtures of them.
class CutLaw final : public Law {
 public:
  CutLaw(DrawnLaw whole, double min, double max)
      : whole_(std::move(whole)), max_(max), lowest_(whole_.law().below(min)), mass_(whole_.law().upto(max) - lowest_) {}

  double below(double x) const override { return share(x > max_ ? 1 : whole_.law().below(x)); }
  double upto(double x) const override { return share(x >= max_ ? 1 : whole_.law().upto(x)); }
  double quantile(double p) const override { return whole_.at(p); }

 private:
  double share(double upto) const { return std::clamp((upto - lowest_) / mass_, 0.0, 1.0); }

  DrawnLaw whole_;
  double max_, lowest_, mass_;
};

// The inverse is found by halving: the quantile of a mixture lies between those of its parts.
class MixtureLaw final : public Law {
 public:
  MixtureLaw(std::vector<std::unique_ptr<Law>> parts, std::vector<double> weights)
      : parts_(std::move(parts)), weights_(std::move(weights)) {
    double sum = 0;
    for (const double weight : weights_) sum += weight;
    for (double& weight : weights_) weight /= sum;
  }

  double below(double x) const override {
    return mean([x](const Law& part) { return part.below(x); });
  }
  double upto(double x) const override {
    return mean([x](const Law& part) { return part.upto(x); });
  }

  double quantile(double p) const override {
    double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
    for (const auto& part : parts_) {
      const double x = part->quantile(p);
      low = std::min(low, x);
      high = std::max(high, x);
    }
    if (upto(low) >= p) return low;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) break;
      (upto(middle) >= p ? high : low) = middle;
    }
    return high;
  }

 private:
  template <class Function>
  double mean(Function function) const {
    double sum = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) sum += weights_[i] * function(*parts_[i]);
    return sum;
  }

  std::vector<std::unique_ptr<Law>> parts_;
  std::vector<double> weights_;  // sum 1
};

struct Bounds {
  double min, max;
};

Bounds bounds_of(const LengthSpec& spec, Domain domain) {
  if (domain == Domain::kSeconds)
    return {std::max(spec.min.value_or(0), 0.0), std::min(spec.max.value_or(kMostSeconds), kMostSeconds)};
  return {std::ceil(std::max(spec.min.value_or(1), 1.0)), std::floor(std::min(spec.max.value_or(kMostTokens), kMostTokens))};
}

Result<std::unique_ptr<Law>> make_mixture(const LengthSpec& spec, Domain domain) {
  std::vector<std::unique_ptr<Law>> parts;
  std::vector<double> weights;
  for (const MixturePart& part : spec.parts) {
    auto made = DrawnLaw::make(part.law, domain);
    if (made.has_error()) return made.error();
    const Bounds bounds = bounds_of(part.law, domain);
    parts.push_back(std::make_unique<CutLaw>(std::move(*made), bounds.min, bounds.max));
    weights.push_back(part.weight);
  }
  return std::unique_ptr<Law>(std::make_unique<MixtureLaw>(std::move(parts), std::move(weights)));
}

}  // namespace

DrawnLaw::DrawnLaw(std::shared_ptr<const Law> law, double min, double max)
    : law_(std::move(law)), min_(min), max_(max), lowest_(law_->below(min)), mass_(law_->upto(max) - lowest_) {}

Result<DrawnLaw> DrawnLaw::make(const LengthSpec& spec, Domain domain) {
  if (spec.law == LengthLaw::kTrace) return Error{Errc::kConfig, "is a trace, which is not drawn", ""};
  auto law =
      spec.law == LengthLaw::kMixture ? make_mixture(spec, domain) : Result<std::unique_ptr<Law>>(make_law(spec, domain));
  if (law.has_error()) return law.error();
  const Bounds bounds = bounds_of(spec, domain);
  DrawnLaw made(std::move(*law), bounds.min, bounds.max);
  if (!(made.mass_ >= kLeastMass)) {
    const double percent = made.mass_ > 0 ? 100 * made.mass_ : 0;
    return Error{Errc::kConfig,
                 fmt::format("keeps {:.2g} % of its law in [{:g}, {:g}], less than 1 %", percent, bounds.min, bounds.max), ""};
  }
  return made;
}

double DrawnLaw::at(double u) const {
  const double p = std::clamp(lowest_ + u * mass_, std::numeric_limits<double>::min(), 1 - 0x1p-53);
  return std::clamp(law_->quantile(p), min_, max_);
}

int DrawnLaw::length(double u) const { return static_cast<int>(std::clamp(std::round(at(u)), min_, max_)); }

}  // namespace mie::bench
