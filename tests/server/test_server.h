// The whole server in this process, on a free loopback port, with the model that needs no weights: one I/O thread unless
// the test wants more, the engine's own thread, and a gate that holds the model so that a test decides when a step may run.
#pragma once

#include "models/fake_runner.h"
#include "server/engine_setup.h"
#include "server/listener.h"
#include "server/service.h"
#include "tests/server/http_client.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace mie::test {

// Closed: the model's next step waits.
class StepGate {
 public:
  void close();
  void open();
  void wait();  // on the engine thread

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
};

struct TestServerSetup {
  Config config{};
  FakeOptions fake = {.n_vocab = 300, .eos = TokenId(2)};
  std::vector<FakeFault> faults{};
  bool loaded = true;  // false: the model never finishes loading
};

class TestServer {
 public:
  explicit TestServer(TestServerSetup setup = {});
  ~TestServer();

  [[nodiscard]] HttpClient connect(int receive_buffer_bytes = 0) const {
    return HttpClient(listener_->port(), receive_buffer_bytes);
  }
  [[nodiscard]] Engine& engine() { return serving_->engine(); }
  [[nodiscard]] Service& service() { return service_; }
  [[nodiscard]] StepGate& gate() { return gate_; }

  // What the model says after `prompt` (completion, greedy): `n` tokens, as the tokenizer writes them.
  [[nodiscard]] std::string expected_text(const std::string& prompt, int n) const;

  // Series of /metrics by name with labels; sums over the labels that are not given.
  [[nodiscard]] double metric(const std::string& name_and_labels) const;
  [[nodiscard]] std::map<std::string, double> metrics() const;

  // Waits until no request is live anywhere; fails the test after some seconds.
  void expect_idle() const;
  // Waits until metric(name) is `value`; false after some seconds.
  [[nodiscard]] bool wait_for(const std::string& name, double value) const;

  // As SIGTERM: no new work, idle connections end, waiting requests are refused.
  void begin_drain();

 private:
  const TestServerSetup setup_;
  SystemClock clock_;
  MetricsRegistry registry_;
  StepGate gate_;
  Service service_;
  ConnectionTable table_;
  std::unique_ptr<ServingModel> serving_;
  net::io_context context_{1};
  std::unique_ptr<Listener> listener_;
  std::vector<std::thread> io_;  // config.io_threads
};

}  // namespace mie::test
