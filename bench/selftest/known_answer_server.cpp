#include "bench/selftest/known_answer_server.h"

#include "bench/selftest/known_answer_loop.h"

#include <pthread.h>
#include <sched.h>

#include <utility>

namespace mie::bench {

KnownAnswerServer::KnownAnswerServer(KnownAnswerOptions options) {
  const auto core = options.core;
  loop_ = std::make_unique<Loop>(std::move(options), figures_);
  url_ = "http://127.0.0.1:" + std::to_string(loop_->port());
  thread_ = std::thread([this, core] {
    if (core) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(static_cast<std::size_t>(*core), &set);
      ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
    }
    loop_->run();
  });
}

KnownAnswerServer::~KnownAnswerServer() {
  loop_->stop();
  thread_.join();
}

}  // namespace mie::bench
