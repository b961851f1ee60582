// An OpenAI-style server whose answers are known: events of planned sizes at planned gaps, stalls of the whole server, every
// way to fail, and a null mode that answers at once. It proves the load client and is the other end of its speed test. One
// thread of its own from the constructor to the destructor; figures may be read from any thread.
#pragma once

#include "bench/selftest/answer_plan.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace mie::bench {

// The whole server does nothing for `length`, once, from `at` after the first request.
struct Stall {
  std::chrono::nanoseconds at{0};
  std::chrono::nanoseconds length{0};
};

struct KnownAnswerOptions {
  AnswerPolicy policy{};  // none: null mode, max_tokens tokens at once
  std::vector<Stall> stalls{};
  int prompt_counter_error = 0;  // added to its count of prompt tokens: for checks that must see it
  std::optional<int> core{};     // that its thread is bound to
};

class KnownAnswerServer {
 public:
  struct Figures {
    std::atomic<std::int64_t> requests{0}, prompt_tokens{0}, generation_tokens{0}, succeeded{0};
    std::atomic<std::int64_t> connections{0}, gone{0};  // accepted; left by the client before their answer's end
    std::atomic<std::int64_t> in_flight{0}, most_in_flight{0};
  };

  explicit KnownAnswerServer(KnownAnswerOptions options);  // listens on a free port of the loopback when it returns
  ~KnownAnswerServer();
  KnownAnswerServer(const KnownAnswerServer&) = delete;
  KnownAnswerServer& operator=(const KnownAnswerServer&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] const Figures& figures() const { return figures_; }

 private:
  class Loop;
  Figures figures_;
  std::string url_;
  std::unique_ptr<Loop> loop_;
  std::thread thread_;
};

}  // namespace mie::bench
