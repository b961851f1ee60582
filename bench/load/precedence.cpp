#include "bench/load/precedence.h"

#include <pthread.h>
#include <sys/prctl.h>

namespace mie::bench {

Precedence::Precedence() {
  ::pthread_getschedparam(::pthread_self(), &usual_policy_, &usual_);
  const sched_param first{.sched_priority = 1};
  ::pthread_setschedparam(::pthread_self(), SCHED_RR | SCHED_RESET_ON_FORK, &first);
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // ns; the usual 50 µs would come on top of every sleep
}

Precedence::~Precedence() {
  ::prctl(PR_SET_TIMERSLACK, 0UL);
  ::pthread_setschedparam(::pthread_self(), usual_policy_, &usual_);
}

}  // namespace mie::bench
