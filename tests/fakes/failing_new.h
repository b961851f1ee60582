// Makes the n-th allocation of a scope fail, to test that a throw leaves things as they were. Linking failing_new.cpp
// replaces the global operator new of the test program. Per thread.
#pragma once

#include <new>

namespace mie::test {

// While it lives, allocations beyond the next `n_allowed` throw std::bad_alloc. Does not nest.
class FailingNew {
 public:
  explicit FailingNew(int n_allowed);
  ~FailingNew();

  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;
};

// While it lives, the allocation after the next `n_allowed` throws std::bad_alloc, once. Does not nest.
class OneFailure {
 public:
  explicit OneFailure(int n_allowed);
  ~OneFailure();

  OneFailure(const OneFailure&) = delete;
  OneFailure& operator=(const OneFailure&) = delete;

  [[nodiscard]] bool struck() const;
};

// Calls `action` with 0, 1, 2 … allocations allowed until it ends without bad_alloc; `check_unchanged` runs after each
// failure. Returns how many allocations the action makes.
template <class Action, class Check>
int fail_each_allocation(Action action, Check check_unchanged) {
  for (int n_allowed = 0;; ++n_allowed) {
    try {
      const FailingNew failing(n_allowed);
      action();
      return n_allowed;
    } catch (const std::bad_alloc&) {
    }
    check_unchanged();
  }
}

}  // namespace mie::test
