#include "bench/run/precise_load.h"

#include "bench/run/precision_look.h"

#include <algorithm>
#include <chrono>

namespace mie::bench {
namespace {

std::chrono::nanoseconds seconds(double s) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(s));
}

// Of the list, from its beginning: a closed loop sends in its order.
int n_sent(const RunResult& result, std::span<const PlannedRequest> load) {
  if (result.records.empty() || load.empty()) return 0;
  return std::max(0, result.records.back().index + 1 - load.front().index);
}

}  // namespace

Round round_of(const WorkloadSpec& spec, const LoadSettings& whole, std::span<const PlannedRequest> load, int number,
               int n_sent) {
  const auto part = seconds(spec.requests.precision->max_s / kRounds);
  const auto warmup = seconds(spec.warmup.seconds);
  Round round{.number = number, .settings = whole};
  round.settings.send_for = number == 0 ? warmup + part : part;
  if (number > 0) round.settings.warmup.reset();
  if (!spec.arrival.open()) {
    const auto left = load.subspan(std::min(load.size(), static_cast<std::size_t>(n_sent)));
    round.requests.assign(left.begin(), left.end());
    return round;
  }
  const auto begin = number == 0 ? std::chrono::nanoseconds(0) : warmup + number * part;
  const auto end = warmup + (number + 1) * part;
  for (const PlannedRequest& request : load) {
    if (*request.intended < begin || *request.intended >= end) continue;
    round.requests.push_back(request);
    *round.requests.back().intended -= begin;
  }
  return round;
}

std::optional<Error> until_precise(RunResult& result, const LoadSettings& whole, std::span<const PlannedRequest> load,
                                   const std::filesystem::path& folder, const PutRound& put) {
  if (auto error = looks_can_be_taken(folder)) return error;
  for (int number = 0; number < kRounds; ++number) {
    const Round round = round_of(result.spec, whole, load, number, n_sent(result, load));
    if (round.requests.empty()) continue;
    if (auto error = put(round)) return error;
    if (!result.repetitions.back().broken_off.empty()) break;
    auto look = look_at(result, number + 1, folder);
    if (look.has_error()) return look.error();
    result.looks.push_back(*look);
    if (look->precise) break;
  }
  return {};
}

}  // namespace mie::bench
