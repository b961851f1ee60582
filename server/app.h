// `mie serve` from the open port to the exit code: listener, loading thread, signals, drain. Built and run by main.
#pragma once

#include "server/config.h"
#include "server/connection_table.h"
#include "server/engine_setup.h"
#include "server/exit_codes.h"
#include "server/listener.h"
#include "server/record/recorder.h"
#include "server/service.h"
#include "server/trace/step_trace_file.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace mie {

class App {
 public:
  explicit App(const Config& config);
  ~App();

  // Binds the port and creates the files that were asked for. Error kConfig.
  std::optional<Error> open();

  // Serves until a signal or a failure; the exit code. Prints the one line that exit code 2 owes.
  int run();

  [[nodiscard]] std::uint16_t port() const { return listener_->port(); }

  // Begins the drain as SIGTERM does. Any thread.
  void request_stop();

 private:
  void load();
  void loaded(std::optional<Error> failure);
  void start_draining();
  void fatal(const std::string& reason);
  static net::awaitable<void> watch_signals(App* self);
  static net::awaitable<void> drain(App* self);
  static net::awaitable<void> end_all(App* self);
  net::awaitable<void> wait_for_idle(Clock::time_point deadline);
  void finish(int exit_code);
  void publish_info();

  const Config config_;
  SystemClock clock_;
  MetricsRegistry registry_;
  Service service_;
  ConnectionTable table_;
  std::unique_ptr<Recorder> recorder_;         // null: not asked for
  std::unique_ptr<ServingModel> serving_;      // set on the strand once loaded
  std::unique_ptr<StepTraceFile> step_trace_;  // null: not asked for
  std::unique_ptr<ServingModel> loading_;      // the loading thread's, until it is handed over
  net::io_context context_;                    // goes before all that the coroutines left on it refer to
  net::any_io_executor strand_;                // every member below and the flags
  net::signal_set signals_;
  std::unique_ptr<Listener> listener_;
  std::thread loader_;
  bool load_done_ = false;
  bool draining_ = false;
  int n_signals_ = 0;
  int exit_code_ = kExitClean;
};

}  // namespace mie
