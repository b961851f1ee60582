// The speed gates of the native backend: which case must reach what, and the verdict on measured figures. Percentages are of
// the probe taken beside the case, so that they hold on any machine. Pure functions.
#pragma once

#include "bench/micro/measured.h"
#include "bench/micro/unit_bits.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mie::bench {

inline constexpr double kGateTolerance = 0.15;  // of the needed figure

inline constexpr double kRoundTrips = 1.4;  // that a region may take

enum class Verdict {
  kPass,
  kFail,
  kDisturbed,  // measured, but the machine was not ours alone
  kNotRun,     // nothing was measured: `note` says what it takes
  kElsewhere,  // a test of bits or counts: `note` names it
};
[[nodiscard]] std::string_view verdict_name(Verdict verdict);

// need ≤ figure, or figure ≤ need, up to the tolerance; the edge passes.
[[nodiscard]] bool reaches(double figure, double need, double tolerance);
[[nodiscard]] bool stays_within(double figure, double need, double tolerance);

enum class GateKind {
  kPercent,       // of the case's limit, at least
  kMicroseconds,  // of one iteration, at most
  kByteRatio,     // time / (bytes / read bandwidth), at most, no tolerance: it is part of the figure
  kForkJoin,      // of the probe, ns, at most; or kRoundTrips of a cache line, where that is more
  kHeadShare,     // percent of the time in which a head of the sampler's vocabulary is read, at most
  kBits,          // differences between units, none
  kTest,          // judged by a test
};

struct Gate {
  int number;  // of the bring-up step
  std::string what;
  GateKind kind;
  std::string case_name;  // what is measured; of kTest: the command that runs the test
  double need = 0;
};

struct Judged {
  Gate gate;
  std::optional<double> figure;
  Verdict verdict = Verdict::kNotRun;
  std::string note{};
};

[[nodiscard]] std::vector<Gate> all_gates();

// What was measured, for judge().
struct Evidence {
  std::span<const Measured> cases;
  const native::ProbeResult* probe = nullptr;
  const UnitBits* bits = nullptr;
};
[[nodiscard]] Judged judge(const Gate& gate, const Evidence& evidence);

[[nodiscard]] std::string_view unit_of(GateKind kind);  // "%", "us", …

}  // namespace mie::bench
