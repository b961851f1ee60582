// The instants at which a law has requests arrive, one after the other. Laws whose rate changes are made by inverting the
// integrated rate at the sums of unit exponential gaps, which is exact and takes one draw per arrival. Gaps are never rescaled
// to end at a nominal time. Used by one expansion; not thread-safe.
#pragma once

#include "bench/workload/draw/random_stream.h"
#include "bench/workload/spec/arrival_spec.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mie::bench {

class ArrivalTimes {
 public:
  // `trace_s`: stamps of the trace in seconds from its first, for that law. REQUIRES: an open law.
  ArrivalTimes(const ArrivalSpec& spec, std::int64_t seed, std::vector<double> trace_s);

  // Seconds from the start of the load; never less than the one before. Nothing when the law has ended.
  std::optional<double> next();

 private:
  double unit_gap();   // exponential of mean 1
  double gamma_gap();  // of mean 1
  [[nodiscard]] std::optional<double> at_work(double work) const;

  ArrivalSpec spec_;
  RandomStream random_;
  std::vector<double> trace_s_;
  std::uint64_t n_ = 0;  // arrivals so far
  double work_ = 0;      // the integrated rate, or the sum of gaps
};

}  // namespace mie::bench
