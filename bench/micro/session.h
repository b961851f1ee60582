// One run of micro-benchmarks: which cases are wanted, how large they are, and the probes taken beside them. Built by
// run_micro; the thread that builds it is compute thread 0 and calls everything.
#pragma once

#include "bench/micro/timing.h"
#include "models/native/isa.h"
#include "models/native/kernels/kernel_table.h"
#include "models/native/thread_pool.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mie::bench {

struct LinearShape {
  std::string name;
  int k = 0, n = 0;
};

// How large the cases are. Tests run tiny ones: every line of code, no figure that means anything.
struct Sizes {
  std::size_t cold_bytes = 0;     // what a case cycles through, so that caches hold next to none of it
  LinearShape gate;               // of a model of 7 billion weights
  std::vector<LinearShape> body;  // of the default model's layers
  LinearShape head;               // of the default model
  std::vector<int> rows;          // tokens of a linear operator
  int decode_context = 0, decode_seqs = 0, prefill_tokens = 0;  // attention
  int n_vocab = 0;                                              // sampler
  int step_context = 0;                                         // whole step
  Effort effort;
  double probe_every_seconds = 0;

  static Sizes full();
  static Sizes tiny();
};

// Which cases run: those whose name holds one of `names`, or is one of them; all when there are none.
struct Wanted {
  std::vector<std::string> names{};
  bool whole_names = false;
};

struct Case {
  std::string name;  // "linear/q4_1/w4a8/7b-gate/m8"
  double bytes = 0, ops = 0;
  Limit limit = Limit::kNone;
  bool on_pool = true;           // runs regions of the session's pool
  bool p99_of_single = false;    // the figure is the 99th percentile of single iterations instead of the median of means
  std::function<void()> run;     // one iteration
  std::function<void()> rest{};  // the part of `run` that is not measured: its time is taken off
};

class MicroSession {
 public:
  MicroSession(native::Isa isa, int n_threads, Sizes sizes, Wanted wanted);

  [[nodiscard]] bool wants(std::string_view name) const;
  // Times the case and a probe before it; nothing when it is not wanted. A disturbed case is taken again where probes are
  // taken for every case, three times at most.
  void measure(const Case& one);

  // After the last case. Every case has its two probes.
  [[nodiscard]] std::vector<Measured> finish();

  [[nodiscard]] native::ProbeResult take_probe(native::ProbeLength length);
  [[nodiscard]] native::ThreadPool& pool() { return pool_; }
  [[nodiscard]] const native::KernelTable& kernels() const { return kernels_; }
  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  [[nodiscard]] const std::vector<int>& cores() const { return cores_; }
  [[nodiscard]] int n_threads() const { return pool_.n_threads(); }

 private:
  void refresh_probe(double max_age_seconds);
  [[nodiscard]] Measured measure_once(const Case& one);

  std::vector<int> cores_;  // found before this thread is pinned to the first
  native::ThreadPool pool_;
  const native::KernelTable& kernels_;
  Sizes sizes_;
  Wanted wanted_;
  native::ProbeResult last_probe_;
  double last_probe_at_ = -1e9;  // seconds
  std::vector<Measured> done_;
  std::size_t n_closed_ = 0;  // cases that have their second probe
};

}  // namespace mie::bench
