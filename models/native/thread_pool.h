// The compute threads. The engine thread is thread 0; one worker per further core. Within a step workers spin, so that a
// parallel region costs under a microsecond; between steps they spin briefly and then sleep, so that an idle server costs
// nothing. Used by one thread (the engine's); a body must not throw.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace mie::native {

// Cores this thread may run on, ascending (sched_getaffinity): the process's, unless it was pinned.
[[nodiscard]] std::vector<int> allowed_cores();

// Best effort: a sandbox may refuse, and the kernel then places the thread.
void pin_this_thread(int core);

// Gives the thread its cores back at the end of a scope in which it may be pinned. That thread's.
class KeptAffinity {
 public:
  KeptAffinity();
  ~KeptAffinity();
  KeptAffinity(const KeptAffinity&) = delete;
  KeptAffinity& operator=(const KeptAffinity&) = delete;

 private:
  cpu_set_t set_;
  bool known_;
};

class ThreadPool {
 public:
  // `cores`: where to pin workers (thread i on cores[i]); empty: not pinned. Thread 0, the caller's, is not touched.
  ThreadPool(int n_threads, std::vector<int> cores);
  ~ThreadPool();

  [[nodiscard]] int n_threads() const { return n_threads_; }

  // Keeps workers awake while it lives. One at a time.
  class Step {
   public:
    explicit Step(ThreadPool& pool) : pool_(pool) { pool_.wake(); }
    ~Step() { pool_.rest(); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    ThreadPool& pool_;
  };

  // body(thread) on every thread; returns when all are done. REQUIRES: a Step is alive.
  template <class Body>
  void on_each_thread(Body&& body) {
    run([](void* context, int thread) { (*static_cast<std::remove_reference_t<Body>*>(context))(thread); }, &body);
  }

  // body(item, thread) for items [0, n_items), `grain` at a time: a first helping each, then to whoever is free, so that a
  // delayed thread costs one grain and not half of the work.
  template <class Body>
  void for_each(int n_items, int grain, Body&& body) {
    if (n_items <= grain || n_threads_ == 1) {
      for (int item = 0; item < n_items; ++item) body(item, 0);
      return;
    }
    auto take = [&](int thread) {
      for (int first = thread * grain; first < n_items;
           first = n_threads_ * grain + n_taken_.fetch_add(grain, std::memory_order_relaxed)) {
        const int last = first + grain < n_items ? first + grain : n_items;
        for (int item = first; item < last; ++item) body(item, thread);
      }
    };
    on_each_thread(take);
    n_taken_.store(0, std::memory_order_relaxed);  // now, so that the line is here when the next region begins
  }

 private:
  using Job = void (*)(void* context, int thread);

  void run(Job job, void* context);
  void work(int thread, int core);
  std::uint32_t wait_for_job(std::uint32_t seen);
  void wake();
  void rest();

  int n_threads_;
  std::uint32_t n_done_wanted_ = 0;  // by the end of the region
  // A region announced: one cache line, which a worker fetches once.
  alignas(64) std::atomic<std::uint32_t> epoch_{0};
  std::atomic<bool> active_{false};  // inside a step
  Job job_ = nullptr;                // of the region that `epoch_` announces
  void* context_ = nullptr;
  // Regions left by workers, since the start: never reset, so that the caller has nothing to write to the workers' line.
  alignas(64) std::atomic<std::uint32_t> n_done_{0};
  alignas(64) std::atomic<int> n_taken_{0};  // items handed out after the first helpings
  std::vector<std::jthread> workers_;
};

}  // namespace mie::native
