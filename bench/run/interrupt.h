// SIGINT and SIGTERM during a run. Once: what is running stops sending, ends what is in flight, and the result is marked
// partial. Twice: the process ends with code 3. Owned by the command; its own thread waits for the signals.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace mie::bench {

class Interrupt {
 public:
  Interrupt();  // from here on threads that are started do not get the two signals
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] bool requested() const { return requested_.load(); }

  // While it lives, the first signal calls `stop`, at once if it has come already.
  class Scope {
   public:
    Scope(Interrupt& interrupt, std::function<void()> stop);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Interrupt& interrupt_;
  };

 private:
  void wait();

  std::atomic<bool> requested_{false};
  std::mutex mutex_;
  std::function<void()> stop_;
  std::thread thread_;
};

}  // namespace mie::bench
