// Counts the coroutines of one kind that are running, so that shutdown can wait for them, and names them in the log when
// one throws: nothing is ever spawned without somebody who hears of its end. Owned by main; outlives the io_context's run.
// Thread-safe.
#pragma once

#include "core/base/log.h"

#include <atomic>
#include <exception>
#include <memory>
#include <string>

namespace mie {

class TaskGroup {
 public:
  // The completion handler for co_spawn. The task counts from this call on.
  class Supervisor {
   public:
    Supervisor(TaskGroup& group, std::string name) : entry_(std::make_shared<Entry>(group)), name_(std::move(name)) {}
    void operator()(const std::exception_ptr& failure) const;

   private:
    struct Entry {
      explicit Entry(TaskGroup& owner) : group(owner) { ++group.n_running_; }
      ~Entry() { --group.n_running_; }
      Entry(const Entry&) = delete;
      Entry& operator=(const Entry&) = delete;
      TaskGroup& group;
    };
    std::shared_ptr<Entry> entry_;  // handlers are copied and moved; the last copy ends the count
    std::string name_;
  };

  [[nodiscard]] Supervisor supervise(std::string name) { return {*this, std::move(name)}; }
  [[nodiscard]] int n_running() const { return n_running_; }

 private:
  std::atomic<int> n_running_{0};
};

// Logs what a task threw; a cancelled operation is how tasks end and is not worth a line.
void log_failure(const std::string& task, const std::exception_ptr& failure);

}  // namespace mie
