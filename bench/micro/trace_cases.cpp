#include "bench/micro/trace_cases.h"

#include "core/engine/step_trace.h"

namespace mie::bench {

void run_trace_cases(MicroSession& session) {
  constexpr int kSeqs = 64, kSteps = 1024;
  StepTrace trace(kSteps, kSeqs, 4096);
  StepPlan plan;
  for (int i = 0; i < kSeqs; ++i) {
    plan.run.push_back({.id = RequestId(static_cast<std::uint64_t>(i) + 1), .n_tokens = 1, .samples = true});
  }
  EngineObserver& observer = trace;  // as the engine calls it
  session.measure({.name = "engine/step-trace/64-seqs", .on_pool = false, .run = [&] {
                     observer.planned(plan, {});
                     for (const Scheduled& scheduled : plan.run) observer.row(scheduled, {.n_decode = 1});
                     observer.committed({.begin = {}});
                   }});
}

}  // namespace mie::bench
