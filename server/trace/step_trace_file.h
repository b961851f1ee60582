// `--step-trace FILE`: the engine's step trace as JSON lines, one for each step and each event of a request. A thread of its
// own copies what is new every 50 ms and writes it, so that neither the engine nor a connection waits for a disk. What the ring
// lost in between is counted in a line of its own. Built by main; the engine outlives it between start() and stop().
#pragma once

#include "core/base/error.h"
#include "core/engine/engine.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

namespace mie {

class StepTraceFile {
 public:
  // Creates the file. Error kConfig naming --step-trace.
  static Result<std::unique_ptr<StepTraceFile>> open(const std::string& path);
  ~StepTraceFile();  // stops it if that was not done
  StepTraceFile(const StepTraceFile&) = delete;
  StepTraceFile& operator=(const StepTraceFile&) = delete;

  void start(Engine& engine);  // once; the engine has been started

  // Writes what is left and closes the file. REQUIRES: the engine has not been stopped. Idempotent.
  void stop();

 private:
  explicit StepTraceFile(std::FILE* file) : file_(file) {}

  static net::awaitable<void> follow(StepTraceFile* self, Engine* engine);
  void write(const StepTraceCopy& copy);
  void write_line(const std::string& line);

  net::io_context context_{1};
  net::steady_timer pause_{context_};
  std::FILE* file_;
  std::atomic<bool> stopping_ = false;
  bool full_ = false;  // a write has failed, which has been logged
  std::thread thread_;
};

}  // namespace mie
