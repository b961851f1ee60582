#include "bench/micro/gates.h"

#include "bench/micro/linear_cases.h"

#include <algorithm>
#include <utility>

namespace mie::bench {
namespace {

using native::ComputeMode;
using native::PackFormat;

std::string gate_shape(PackFormat format, int rows) { return linear_name(format, ComputeMode::kW4A8, "7b-gate", rows); }

Gate linear_gate(int number, PackFormat format, int rows, double percent) {
  std::string name = gate_shape(format, rows);
  return {number, name, GateKind::kPercent, name, percent};
}

void judge_case(const Gate& gate, const Measured& measured, Judged& judged) {
  const double seconds = measured.timing.median;
  const double read = ((measured.before.read_gbps + measured.after.read_gbps) / 2) * 1e9;
  bool pass = false;
  switch (gate.kind) {
    case GateKind::kPercent:
      judged.figure = measured.percent();
      pass = judged.figure && reaches(*judged.figure, gate.need, kGateTolerance);
      break;
    case GateKind::kMicroseconds:
      judged.figure = seconds * 1e6;
      pass = stays_within(*judged.figure, gate.need, kGateTolerance);
      break;
    case GateKind::kByteRatio:
      judged.figure = seconds / (measured.bytes / read);
      pass = stays_within(*judged.figure, gate.need, 0);
      break;
    case GateKind::kHeadShare: {
      // The head of a model of half a billion weights: 896 inputs, 8.5 bits a weight; the case's bytes are its logits.
      const double head_bytes = measured.bytes / sizeof(float) * 896 * 8.5 / 8;
      judged.figure = 100 * seconds / (head_bytes / read);
      pass = stays_within(*judged.figure, gate.need, kGateTolerance);
      break;
    }
    default:
      break;
  }
  if (!judged.figure) {
    judged.note = "this CPU has no such instruction";
    return;
  }
  judged.verdict = pass ? Verdict::kPass : Verdict::kFail;
  if (auto why = measured.disturbance(); !why.empty()) {
    judged.verdict = Verdict::kDisturbed;
    judged.note = std::move(why);
  }
}

// Where cores lie far apart a region cannot be as quick: then it is held against what its one hand-over and back costs.
void judge_fork_join(const Gate& gate, const native::ProbeResult& probe, Judged& judged) {
  judged.gate.need = std::max(gate.need, kRoundTrips * probe.round_trip_ns);
  judged.figure = probe.fork_join_ns;
  judged.verdict = stays_within(probe.fork_join_ns, judged.gate.need, kGateTolerance) ? Verdict::kPass : Verdict::kFail;
  if (judged.gate.need > gate.need) judged.note = "a cache line's round trip takes longer here than the gate expects";
  if (auto why = probe.disturbance(); !why.empty()) {
    judged.verdict = Verdict::kDisturbed;
    judged.note = std::move(why);
  }
}

void judge_bits(const UnitBits& bits, Judged& judged) {
  judged.figure = static_cast<double>(bits.n_differences);
  judged.verdict = bits.n_differences == 0 ? Verdict::kPass : Verdict::kFail;
  judged.note = bits.first_difference.empty() ? std::to_string(bits.n_values) + " values of " +
                                                    std::to_string(bits.units.size()) + " units against the scalar one"
                                              : bits.first_difference;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "FAIL";
    case Verdict::kDisturbed:
      return "disturbed";
    case Verdict::kNotRun:
      return "not run";
    case Verdict::kElsewhere:
      return "by test";
  }
  return "not run";
}

std::string_view unit_of(GateKind kind) {
  switch (kind) {
    case GateKind::kPercent:
    case GateKind::kHeadShare:
      return "%";
    case GateKind::kMicroseconds:
      return "us";
    case GateKind::kByteRatio:
      return "x";
    case GateKind::kForkJoin:
      return "ns";
    case GateKind::kBits:
      return "bits";
    case GateKind::kTest:
      return "";
  }
  return "";
}

bool reaches(double figure, double need, double tolerance) { return figure >= need - need * tolerance; }
bool stays_within(double figure, double need, double tolerance) { return figure <= need + need * tolerance; }

std::vector<Gate> all_gates() {
  return {
      {1, "fork-join of an empty region", GateKind::kForkJoin, "", 250},
      {2, "packers and scalar kernels against a dequantiser", GateKind::kTest, "native_tests --gtest_filter=*LinearKernels*"},
      linear_gate(3, PackFormat::kQ4_1, 1, 85),
      linear_gate(3, PackFormat::kQ4_0, 1, 85),
      linear_gate(3, PackFormat::kQ8_0, 1, 85),
      linear_gate(3, PackFormat::kQ4_1, 8, 49),
      linear_gate(3, PackFormat::kQ4_1, 32, 61),
      linear_gate(3, PackFormat::kQ8_0, 32, 82),
      {4, "decode attention from memory", GateKind::kPercent, "attention/decode/group-7-d128", 75},
      {4, "bits for any thread count and page size", GateKind::kTest, "native_tests --gtest_filter=*NativeInvariance*"},
      {5, "prefill attention", GateKind::kPercent, "attention/prefill/group-7-d128", 75},
      {6, "whole step of one stream, time over its bytes", GateKind::kByteRatio, "step/decode-1", 1.15},
      {6, "no allocation in steady decode", GateKind::kTest, "native_allocation_tests --gtest_filter=*SteadyDecode*"},
      {7, "greedy sampling beside the head", GateKind::kHeadShare, "sampler/greedy", 1},
      {7, "top-k 40, top-p", GateKind::kMicroseconds, "sampler/top-k-40-top-p-0.95", 60},
      {8, "logits in every arrangement", GateKind::kTest, "native_model_tests --gtest_filter=*NativeDefaultModel*"},
      linear_gate(9, PackFormat::kBf16, 1, 90),
      linear_gate(9, PackFormat::kBf16, 8, 54),
      linear_gate(9, PackFormat::kBf16, 32, 85),
      linear_gate(9, PackFormat::kBf16, 512, 91),
      {13, "integer kernels of all units", GateKind::kBits, "", 0},
  };
}

Judged judge(const Gate& gate, const Evidence& evidence) {
  Judged judged{gate, std::nullopt, Verdict::kNotRun};
  if (gate.kind == GateKind::kTest) {
    judged.verdict = Verdict::kElsewhere;
    judged.note = gate.case_name;
  } else if (gate.kind == GateKind::kForkJoin) {
    if (evidence.probe != nullptr) judge_fork_join(gate, *evidence.probe, judged);
  } else if (gate.kind == GateKind::kBits) {
    if (evidence.bits != nullptr) judge_bits(*evidence.bits, judged);
  } else {
    const auto found = std::ranges::find(evidence.cases, gate.case_name, &Measured::name);
    if (found != evidence.cases.end())
      judge_case(gate, *found, judged);
    else
      judged.note = gate.kind == GateKind::kByteRatio ? "needs --model FILE" : "not among the cases that were asked for";
  }
  return judged;
}

}  // namespace mie::bench
