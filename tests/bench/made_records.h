// Requests as they would have gone, with stamps in seconds. Test code.
#pragma once

#include "bench/load/request_record.h"

#include <gmock/gmock.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace mie::bench::test {

[[nodiscard]] inline std::int64_t ns(double seconds) { return std::llround(seconds * 1e9); }

struct Went {
  double intended = 0;
  double send = 0;
  std::vector<std::pair<double, int>> tokens{};  // when, how many
  std::optional<double> end{};
};

[[nodiscard]] inline RequestRecord answered(const Went& went) {
  RequestRecord record;
  record.status = RequestStatus::ok;
  record.intended_ns = ns(went.intended);
  record.send_ns = ns(went.send);
  for (const auto& [at, n] : went.tokens) record.events.push_back({ns(at), n});
  if (went.end) record.end_ns = ns(*went.end);
  return record;
}

[[nodiscard]] inline RequestRecord failed(RequestStatus status, const Went& went) {
  RequestRecord record = answered(went);
  record.status = status;
  return record;
}

}  // namespace mie::bench::test
