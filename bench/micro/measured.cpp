#include "bench/micro/measured.h"

#include <algorithm>
#include <cstdio>

namespace mie::bench {

std::string_view limit_name(Limit limit) {
  switch (limit) {
    case Limit::kNone:
      return "none";
    case Limit::kRead:
      return "read";
    case Limit::kInt8:
      return "int8";
    case Limit::kBf16:
      return "bf16";
  }
  return "none";
}

std::optional<double> limit_of(const native::ProbeResult& probe, Limit limit) {
  switch (limit) {
    case Limit::kNone:
      break;
    case Limit::kRead:
      return probe.read_gbps;
    case Limit::kInt8:
      return probe.int8_gops;
    case Limit::kBf16:
      return probe.bf16_gflops;
  }
  return std::nullopt;
}

std::optional<double> Measured::percent() const {
  const auto first = limit_of(before, limit), second = limit_of(after, limit);
  if (!first || !second || *first + *second <= 0) return std::nullopt;
  return 100 * (limit == Limit::kRead ? gb_per_second() : gops()) / ((*first + *second) / 2);
}

std::string Measured::disturbance() const {
  if (auto why = native::foreign_disturbance(foreign_cpu); !why.empty()) return why;
  for (const native::ProbeResult* probe : {&before, &after}) {
    if (auto why = probe->disturbance(); !why.empty()) return why;
  }
  const auto first = limit_of(before, limit), second = limit_of(after, limit);
  if (!first || !second) return {};
  if (std::max(*first, *second) <= (1 + native::kProbeTolerance) * std::min(*first, *second)) return {};
  char text[96];
  std::snprintf(text, sizeof text, "the %s probe moved from %.1f to %.1f", std::string(limit_name(limit)).c_str(), *first,
                *second);
  return text;
}

}  // namespace mie::bench
