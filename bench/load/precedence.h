// The calling thread goes before others of equal right while this lives: a client that shares its cores with what it measures
// would be late otherwise. Where that is not permitted, nothing changes.
#pragma once

#include <sched.h>

namespace mie::bench {

class Precedence {
 public:
  Precedence();
  ~Precedence();
  Precedence(const Precedence&) = delete;
  Precedence& operator=(const Precedence&) = delete;

 private:
  int usual_policy_ = SCHED_OTHER;
  sched_param usual_{};
};

}  // namespace mie::bench
