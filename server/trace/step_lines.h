// The file of --step-trace, read back. Values; the reader is a pure function of its stream.
#pragma once

#include "core/base/error.h"
#include "core/engine/step_trace.h"

#include <cstdint>
#include <istream>
#include <vector>

namespace mie {

// As the file has it: all of the copies that were written, one after the other. `rows` are those of all steps.
struct StepLines {
  std::vector<TracedStep> steps;
  std::vector<TracedRow> rows;
  std::vector<RequestEvent> events;
  std::int64_t n_lost_steps = 0, n_lost_events = 0;
};

// A last line without its end, as a killed process leaves it, is ignored. Error kConfig with the number of the line.
Result<StepLines> read_step_lines(std::istream& in);

}  // namespace mie
