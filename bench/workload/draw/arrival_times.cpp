#include "bench/workload/draw/arrival_times.h"

#include "core/base/ensure.h"

#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mie::bench {
namespace {

constexpr int kHalvings = 200;

// On-time runs at the rate, off-time does not run at all.
double onoff_time(const ArrivalSpec& spec, double work) {
  const double on = work / spec.rate;
  const double cycles = std::floor(on / spec.on_s);
  return on + cycles * spec.off_s;
}

// mean·t + amp·period/2π·(1 − cos(2πt/period)) = work, by halving between the times that the two ends of the sine give.
double sine_time(const ArrivalSpec& spec, double work) {
  const double swing = spec.amp * spec.period / (2 * std::numbers::pi);
  const auto done = [&](double t) { return spec.mean * t + swing * (1 - std::cos(2 * std::numbers::pi * t / spec.period)); };
  double low = std::max(0.0, (work - 2 * swing) / spec.mean), high = work / spec.mean;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (done(middle) < work ? low : high) = middle;
  }
  return high;
}

std::optional<double> steps_time(const ArrivalSpec& spec, double work) {
  double begin = 0;
  for (const RateStep& step : spec.steps) {
    const double whole = step.rate * step.s;
    if (work < whole) return begin + work / step.rate;
    work -= whole;
    begin += step.s;
  }
  return {};
}

// Stamps times the scale, no gap over the clip.
std::vector<double> scaled(const ArrivalSpec& spec, std::vector<double> stamps) {
  double before = 0, shifted = 0;
  for (double& stamp : stamps) {
    const double gap = (stamp - before) * spec.scale;
    before = stamp;
    shifted += spec.clip ? std::min(gap, *spec.clip) : gap;
    stamp = shifted;
  }
  return stamps;
}

}  // namespace

ArrivalTimes::ArrivalTimes(const ArrivalSpec& spec, std::int64_t seed, std::vector<double> trace_s)
    : spec_(spec), random_("arrivals", seed), trace_s_(scaled(spec, std::move(trace_s))) {
  ENSURE(spec.open(), "arrivals of a closed loop");
}

double ArrivalTimes::unit_gap() { return -std::log1p(-random_.uniform(n_)); }

double ArrivalTimes::gamma_gap() { return boost::math::gamma_p_inv(spec_.shape, random_.uniform(n_)) / spec_.shape; }

std::optional<double> ArrivalTimes::at_work(double work) const {
  switch (spec_.law) {
    case ArrivalLaw::kOnoff:
      return onoff_time(spec_, work);
    case ArrivalLaw::kSine:
      return sine_time(spec_, work);
    case ArrivalLaw::kSteps:
      return steps_time(spec_, work);
    default:
      return work / spec_.rate;
  }
}

std::optional<double> ArrivalTimes::next() {
  std::optional<double> time;
  switch (spec_.law) {
    case ArrivalLaw::kBurst:
      time = 0;
      break;
    case ArrivalLaw::kConstant:
      time = static_cast<double>(n_) / spec_.rate;
      break;
    case ArrivalLaw::kTrace:
      if (n_ < trace_s_.size()) time = trace_s_[n_];
      break;
    default:
      work_ += spec_.law == ArrivalLaw::kGamma ? gamma_gap() : unit_gap();
      time = at_work(work_);
  }
  ++n_;
  return time;
}

}  // namespace mie::bench
