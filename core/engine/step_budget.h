// How many rows a step may have so that those who wait for their next token wait no longer than wanted: prompts are cut into
// chunks of that time; and how many rows fit before a deadline. It shapes what the scheduler is given and so cannot change a
// token. A member of EngineCore; engine thread only.
#pragma once

#include "core/base/clock.h"
#include "core/sched/scheduler.h"

#include <span>

namespace mie {

class StepBudget {
 public:
  // `wanted`: time of a step; 0: no budget. `row_time`: what a row of a step of many costs, as measured at the start; later
  // steps correct it (the memory of a shared machine is at times half as fast). 0: not known before the first such step.
  StepBudget(Clock::duration wanted, Clock::duration row_time) : wanted_(wanted), row_time_(row_time) {}

  // While nobody waits for a next token, `most`. Else at most the rows that fit the time, but all rows that decode and some
  // of a prompt, so that neither starves.
  // Worked example: 100 ms wanted, 0.5 ms a row, 3 sequences decode: 200 rows, 197 of them for prompts.
  [[nodiscard]] StepLimits limits(StepLimits most, std::span<const SeqView> seqs) const;

  // A step took `time` for so many rows.
  void ran(int n_rows, Clock::duration time);

  // Rows that surely fit into this time: twice as many as fit by what rows took, since a shared machine is at times that much
  // faster. All there are while that is not known.
  [[nodiscard]] int rows_within(Clock::duration time) const;

  [[nodiscard]] Clock::duration row_time() const { return row_time_; }

 private:
  Clock::duration wanted_, row_time_;
};

}  // namespace mie
