// The I/O threads of a simulation: one line of ready handlers a connection, and the seed says whose is next. An executor of
// theirs stands where the server has the strand of a connection, so the same coroutines run here, on one thread.
// Owned by the world; outlives every coroutine on it, so all of them have ended when it goes.
#pragma once

#include "tests/sim/sim_random.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace mie::sim {

namespace net = boost::asio;

class Strands {
 public:
  [[nodiscard]] int add();
  [[nodiscard]] net::any_io_executor executor(int strand);

  // Nothing of this strand runs before that turn: a reader that does not keep up.
  void freeze(int strand, int until_turn);

  // Runs one handler of a strand that is not frozen in this turn; false: there is none.
  bool run_one(SimRandom& random, int turn);

  // The first turn in which a frozen strand that has something to do may do it.
  [[nodiscard]] std::optional<int> next_thaw() const;

 private:
  friend class SimExecutor;

  struct Task {
    virtual ~Task() = default;
    virtual void run() = 0;
  };
  template <class Work>
  struct TaskOf final : Task {
    explicit TaskOf(Work w) : work(std::move(w)) {}
    void run() override { std::move(work)(); }
    Work work;
  };
  struct Strand {
    std::deque<std::unique_ptr<Task>> ready;
    int frozen_until = 0;
  };

  void push(int strand, std::unique_ptr<Task> task);
  [[nodiscard]] int pick(SimRandom& random, int turn) const;

  net::io_context context_{1};  // of the timers under the streams, which handlers below may own
  net::executor_work_guard<net::io_context::executor_type> work_{context_.get_executor()};
  std::deque<Strand> strands_;
  std::vector<int> busy_;  // strands with something to do
};

// Never runs anything inside execute().
class SimExecutor {
 public:
  SimExecutor(Strands& strands, int strand) : strands_(&strands), strand_(strand) {}

  [[nodiscard]] net::execution_context& query(net::execution::context_t) const noexcept { return strands_->context_; }
  static constexpr net::execution::blocking_t query(net::execution::blocking_t) noexcept {
    return net::execution::blocking.never;
  }
  [[nodiscard]] SimExecutor require(net::execution::blocking_t::never_t) const noexcept { return *this; }

  template <class Work>
  void execute(Work&& work) const {
    strands_->push(strand_, std::make_unique<Strands::TaskOf<std::decay_t<Work>>>(std::forward<Work>(work)));
  }

  friend bool operator==(const SimExecutor&, const SimExecutor&) noexcept = default;

 private:
  Strands* strands_;
  int strand_;
};

}  // namespace mie::sim
