#include "bench/run/interrupt.h"

#include <pthread.h>
#include <unistd.h>
#include <csignal>
#include <utility>

namespace mie::bench {
namespace {

constexpr int kStoppedAtOnce = 3, kEndWait = SIGUSR1;

sigset_t watched() {
  sigset_t set{};
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, kEndWait}) ::sigaddset(&set, signal);
  return set;
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t set = watched();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { wait(); });
}

Interrupt::~Interrupt() {
  ::pthread_kill(thread_.native_handle(), kEndWait);
  thread_.join();
}

void Interrupt::wait() {
  const sigset_t set = watched();
  for (int signal = 0; ::sigwait(&set, &signal) == 0 && signal != kEndWait;) {
    if (requested_.exchange(true)) ::_exit(kStoppedAtOnce);
    const std::lock_guard held(mutex_);
    if (stop_) stop_();
  }
}

Interrupt::Scope::Scope(Interrupt& interrupt, std::function<void()> stop) : interrupt_(interrupt) {
  const std::lock_guard held(interrupt_.mutex_);
  interrupt_.stop_ = std::move(stop);
  if (interrupt_.requested()) interrupt_.stop_();
}

Interrupt::Scope::~Scope() {
  const std::lock_guard held(interrupt_.mutex_);
  interrupt_.stop_ = {};
}

}  // namespace mie::bench
