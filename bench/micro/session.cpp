#include "bench/micro/session.h"

#include "core/base/clock.h"
#include "models/native/foreign_cpu.h"

#include <algorithm>
#include <optional>

namespace mie::bench {
namespace {

constexpr int kAttempts = 3;

double now_seconds() { return std::chrono::duration<double>(SystemClock().now().time_since_epoch()).count(); }

std::vector<int> first_cores(int n_threads) {
  std::vector<int> cores = native::allowed_cores();
  if (n_threads > 0 && static_cast<std::size_t>(n_threads) < cores.size()) cores.resize(static_cast<std::size_t>(n_threads));
  return cores;
}

int threads_on(const std::vector<int>& cores, int n_threads) {
  return n_threads > 0 ? n_threads : std::max(1, static_cast<int>(cores.size()));
}

}  // namespace

Sizes Sizes::full() {
  Sizes sizes;
  sizes.cold_bytes = native::uncacheable_bytes();
  sizes.gate = {"7b-gate", 3584, 18944};
  sizes.body = {
      {"smollm2-qkv", 576, 960}, {"smollm2-o", 576, 576}, {"smollm2-gate-up", 576, 3072}, {"smollm2-down", 1536, 576}};
  sizes.head = {"smollm2-head", 576, 49152};
  sizes.rows = {1, 2, 4, 8, 16, 32, 128, 512};
  sizes.decode_context = 4096;
  sizes.decode_seqs = 4;
  sizes.prefill_tokens = 2048;
  sizes.n_vocab = 151936;
  sizes.step_context = 256;
  sizes.probe_every_seconds = 2;
  return sizes;
}

Sizes Sizes::tiny() {
  Sizes sizes;
  sizes.cold_bytes = std::size_t{1} << 16;
  sizes.gate = {"7b-gate", 64, 64};
  sizes.body = {{"smollm2-qkv", 64, 96}};
  sizes.head = {"smollm2-head", 64, 64};
  sizes.rows = {1, 2, 8, 32, 512};
  sizes.decode_context = 64;
  sizes.decode_seqs = 2;
  sizes.prefill_tokens = 64;
  sizes.n_vocab = 1000;
  sizes.step_context = 16;
  sizes.effort = {1e-6, 1, 0};
  sizes.probe_every_seconds = 1e9;
  return sizes;
}

MicroSession::MicroSession(native::Isa isa, int n_threads, Sizes sizes, Wanted wanted)
    : cores_(first_cores(n_threads)),
      pool_(threads_on(cores_, n_threads), cores_),
      kernels_(native::kernel_table(isa)),
      sizes_(std::move(sizes)),
      wanted_(std::move(wanted)) {
  if (!cores_.empty()) native::pin_this_thread(cores_.front());
}

bool MicroSession::wants(std::string_view name) const {
  return wanted_.names.empty() || std::ranges::any_of(wanted_.names, [&](const std::string& wanted) {
           return wanted_.whole_names ? name == wanted : name.find(wanted) != std::string_view::npos;
         });
}

native::ProbeResult MicroSession::take_probe(native::ProbeLength length) {
  return native::probe(pool_, length, native::best_isa());
}

// The machine's own limits, whatever unit is measured: a percentage of them compares units.
void MicroSession::refresh_probe(double max_age_seconds) {
  if (now_seconds() - last_probe_at_ <= max_age_seconds) return;
  last_probe_ = take_probe(native::ProbeLength::kShort);
  last_probe_at_ = now_seconds();
  for (; n_closed_ < done_.size(); ++n_closed_) done_[n_closed_].after = last_probe_;
}

Measured MicroSession::measure_once(const Case& one) {
  Measured measured;
  measured.name = one.name;
  measured.bytes = one.bytes;
  measured.ops = one.ops;
  measured.limit = one.limit;
  measured.before = last_probe_;
  const native::ForeignCpu foreign;
  std::optional<native::ThreadPool::Step> awake;
  if (one.on_pool) awake.emplace(pool_);
  measured.timing = one.p99_of_single ? time_p99(one.run, sizes_.effort) : time_case(one.name, one.run, sizes_.effort);
  if (one.rest) {
    const double rest = time_case(one.name, one.rest, sizes_.effort).median;
    for (double* seconds : {&measured.timing.median, &measured.timing.min, &measured.timing.max}) *seconds -= rest;
  }
  measured.foreign_cpu = foreign.share();
  return measured;
}

void MicroSession::measure(const Case& one) {
  if (!wants(one.name)) return;
  for (int attempt = 1;; ++attempt) {
    refresh_probe(sizes_.probe_every_seconds);
    done_.push_back(measure_once(one));
    if (sizes_.probe_every_seconds > 0) return;
    refresh_probe(0);
    if (done_.back().disturbance().empty() || attempt == kAttempts) return;
    done_.pop_back();
    --n_closed_;
  }
}

std::vector<Measured> MicroSession::finish() {
  if (n_closed_ < done_.size()) refresh_probe(sizes_.probe_every_seconds > 1e6 ? 1e9 : 0);
  for (; n_closed_ < done_.size(); ++n_closed_) done_[n_closed_].after = last_probe_;
  return std::move(done_);
}

}  // namespace mie::bench
