// When requests arrive. Values; any thread.
#pragma once

#include "bench/workload/send_choices.h"
#include "bench/workload/spec/length_spec.h"

namespace mie::bench {

enum class ArrivalLaw : std::uint8_t { kBurst, kClosed, kConstant, kPoisson, kGamma, kOnoff, kSine, kSteps, kTrace };

struct RateStep {
  double rate = 0;  // requests a second
  double s = 0;     // seconds

  void describe(Fields& fields);
};

struct ArrivalSpec {
  ArrivalLaw law = ArrivalLaw::kBurst;
  int concurrency = 1;                   // closed
  std::optional<LengthSpec> think_s;     // closed; absent: none
  double ramp_s = 0;                     // closed: the first requests are spread over so long
  double rate = 0;                       // constant, poisson, gamma, onoff: requests a second
  double shape = 1;                      // gamma
  double on_s = 0, off_s = 0;            // onoff
  double mean = 0, amp = 0, period = 0;  // sine: requests a second, twice; seconds
  std::vector<RateStep> steps;
  std::string file;            // trace
  double scale = 1;            // trace: stamps times this
  std::optional<double> clip;  // trace: the longest gap, in seconds after scaling

  std::optional<int> max_in_flight;
  Overflow overflow = Overflow::kQueue;

  [[nodiscard]] bool open() const { return law != ArrivalLaw::kClosed; }

  void describe(Fields& fields);
};

}  // namespace mie::bench
