#include "server/record/recorder.h"

#include "core/base/log.h"
#include "server/record/record_lines.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace mie {
namespace {

constexpr auto kPause = std::chrono::milliseconds(50);  // what a killed process may lose

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return Error{Errc::kConfig, "--record: cannot write " + path + ": " + std::strerror(errno), ""};
  return std::unique_ptr<Recorder>(new Recorder(file));
}

Recorder::~Recorder() { stop(); }

void Recorder::start(const RecordHeader& header, Clock::time_point start) {
  start_ = start;
  count_from(start);
  write_line(header_line(header));
  thread_ = std::thread([this] { write_all(); });
}

void Recorder::stop() {
  if (thread_.joinable()) {
    {
      const std::lock_guard held(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  if (file_ != nullptr) std::fclose(std::exchange(file_, nullptr));
}

void Recorder::add(RecordEvent event) {
  const std::lock_guard held(mutex_);
  waiting_.push_back(std::move(event));
}

void Recorder::lost() noexcept {
  const std::lock_guard held(mutex_);
  gap_ = true;
}

// On its own thread.
void Recorder::write_all() {
  bool stopping = false, gap = false;
  while (!stopping) {
    std::vector<RecordEvent> events;
    {
      std::unique_lock held(mutex_);
      changed_.wait_for(held, kPause, [this] { return stopping_; });
      events.swap(waiting_);
      stopping = stopping_;
      gap = std::exchange(gap_, false);
    }
    for (const RecordEvent& event : events) write_line(event_line(event, start_));
    if (gap) write_line(gap_line());
    std::fflush(file_);
  }
}

void Recorder::write_line(const std::string& line) {
  if (std::fprintf(file_, "%s\n", line.c_str()) < 0 && !std::exchange(full_, true))
    logger("record")->error("--record: {}", std::strerror(errno));
}

}  // namespace mie
