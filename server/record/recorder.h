// `--record FILE`: writes what an engine was asked and did, for `mie replay`. The engine thread hands over events without
// formatting them; a thread of its own writes them, so that no step waits for a disk. A disk that cannot follow costs memory.
// Built by main; outlives the engine.
#pragma once

#include "core/base/error.h"
#include "server/record/recording_observer.h"

#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mie {

class Recorder final : public RecordingObserver {
 public:
  // Creates the file. Error kConfig naming --record.
  static Result<std::unique_ptr<Recorder>> open(const std::string& path);
  ~Recorder() override;  // stops it if that was not done

  // Before the engine hears of its first request; stamps count from `start`. Once.
  void start(const RecordHeader& header, Clock::time_point start);

  // Writes what is left and closes the file. REQUIRES: the engine has been stopped. Idempotent.
  void stop();

 private:
  explicit Recorder(std::FILE* file) : file_(file) {}

  void add(RecordEvent event) override;
  void lost() noexcept override;
  void write_all();
  void write_line(const std::string& line);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RecordEvent> waiting_;  // with the next two under mutex_
  bool gap_ = false;
  bool stopping_ = false;

  std::FILE* file_;  // the writing thread's while it runs, with the next two
  Clock::time_point start_;
  bool full_ = false;  // a write has failed, which has been logged
  std::thread thread_;
};

}  // namespace mie
