#include "bench/result/steps_json.h"

#include <algorithm>

namespace mie::bench {
namespace {

using json::JsonWriter;

void write_counts(JsonWriter& out, const Repetition& repetition, const LoadSteps& steps) {
  const StepCounts& counts = steps.counts;
  out.begin_object().member("arm", std::string_view(repetition.arm)).member("repetition", repetition.number);
  out.member("steps", counts.steps).member("decode_forwards", counts.decode_forwards);
  out.member("prefill_forwards", counts.prefill_forwards).member("decode_rows", counts.decode_rows);
  out.member("prefill_rows", counts.prefill_rows).key("occupancy").number(counts.occupancy());
  out.member("wasted_rows", counts.wasted_rows).member("padding_rows", counts.padding_rows);
  out.member("preemptions", counts.preemptions).member("lost", steps.n_lost);
  out.member("lines_left_out", counts.steps - std::ssize(steps.lines)).end_object();
}

void write_line(JsonWriter& out, const Repetition& repetition, const StepLine& step) {
  out.begin_object().member("arm", std::string_view(repetition.arm)).member("repetition", repetition.number);
  out.member("step", step.number).member("begin_ns", step.begin_ns).member("plan_ns", step.plan_ns);
  out.member("run_ns", step.run_ns).member("commit_ns", step.commit_ns);
  out.member("rows", step.n_rows).member("seqs", step.n_seqs).member("decoding", step.n_decoding);
  out.member("prefill", step.n_prefill).member("recompute", step.n_recompute).member("decode", step.n_decode);
  out.member("drafts_rejected", step.n_rejected).member("context", step.context);
  out.member("blocks_taken", step.n_blocks_taken).member("blocks_used", step.n_blocks_used);
  out.member("blocks_free", step.n_blocks_free).member("evicted", step.n_evicted).end_object();
}

}  // namespace

void write_steps(JsonWriter& out, const RunResult& result) {
  if (std::ranges::none_of(result.repetitions, [](const Repetition& one) { return one.steps.has_value(); })) {
    out.null_member("steps");
    return;
  }
  out.key("steps").begin_array();
  for (const Repetition& repetition : result.repetitions) {
    if (repetition.steps) write_counts(out, repetition, *repetition.steps);
  }
  out.end_array();
}

std::string step_lines(const RunResult& result) {
  std::string lines;
  for (const Repetition& repetition : result.repetitions) {
    if (!repetition.steps) continue;
    for (const StepLine& step : repetition.steps->lines) {
      JsonWriter out;
      write_line(out, repetition, step);
      lines += out.take() + "\n";
    }
  }
  return lines;
}

}  // namespace mie::bench
