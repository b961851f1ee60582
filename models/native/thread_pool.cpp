#include "models/native/thread_pool.h"

#include "core/base/ensure.h"

#include <pthread.h>
#include <sched.h>

#include <string>
#include <utility>

namespace mie::native {
namespace {

// About 200 µs of pauses: the gap between two steps of a busy engine is shorter.
constexpr int kSpinsBeforeSleep = 5000;
// More threads than free cores: whoever is waited for needs this one's core.
constexpr int kSpinsBeforeYield = 2000;
// A pause takes up to 140 cycles, as long as the news takes to come from another core: the first looks do without.
constexpr int kSpinsBeforePause = 100;

void spin(int spins) {
  if (spins % kSpinsBeforeYield == kSpinsBeforeYield - 1) {
    ::sched_yield();
  } else if (spins >= kSpinsBeforePause) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

}  // namespace

std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &set)) cores.push_back(core);
    }
  }
  return cores;
}

void pin_this_thread(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  (void)::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
}

KeptAffinity::KeptAffinity() : known_(::pthread_getaffinity_np(::pthread_self(), sizeof set_, &set_) == 0) {}

KeptAffinity::~KeptAffinity() {
  if (known_) (void)::pthread_setaffinity_np(::pthread_self(), sizeof set_, &set_);
}

ThreadPool::ThreadPool(int n_threads, std::vector<int> cores) : n_threads_(n_threads) {
  ENSURE(n_threads >= 1, "a pool has at least the caller's thread");
  for (int thread = 1; thread < n_threads; ++thread) {
    const int core = static_cast<std::size_t>(thread) < cores.size() ? cores[static_cast<std::size_t>(thread)] : -1;
    workers_.emplace_back([this, thread, core] { work(thread, core); });
  }
}

ThreadPool::~ThreadPool() {
  job_ = nullptr;  // the sign to leave
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
}

void ThreadPool::wake() {
  active_.store(true, std::memory_order_relaxed);
  if (n_threads_ > 1) run([](void*, int) {}, nullptr);
}

void ThreadPool::rest() { active_.store(false, std::memory_order_relaxed); }

void ThreadPool::run(Job job, void* context) {
  if (n_threads_ == 1) return job(context, 0);
  job_ = job;
  context_ = context;
  n_done_wanted_ += static_cast<std::uint32_t>(n_threads_ - 1);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();  // a load of the waiter count unless somebody sleeps
  job(context, 0);
  for (int spins = 0; n_done_.load(std::memory_order_acquire) != n_done_wanted_; ++spins) spin(spins);
}

std::uint32_t ThreadPool::wait_for_job(std::uint32_t seen) {
  for (int spins = 0;; ++spins) {
    const std::uint32_t now = epoch_.load(std::memory_order_acquire);
    if (now != seen) return now;
    if (spins < kSpinsBeforeSleep || active_.load(std::memory_order_relaxed)) {
      spin(spins);
    } else {
      epoch_.wait(seen, std::memory_order_acquire);
    }
  }
}

void ThreadPool::work(int thread, int core) {
  ::pthread_setname_np(::pthread_self(), ("mie-compute-" + std::to_string(thread)).substr(0, 15).c_str());
  if (core >= 0) pin_this_thread(core);
  std::uint32_t seen = 0;
  for (;;) {
    seen = wait_for_job(seen);
    if (job_ == nullptr) return;
    job_(context_, thread);
    n_done_.fetch_add(1, std::memory_order_release);
  }
}

}  // namespace mie::native
