// A step trace as Chrome's trace events (JSON), which Perfetto and chrome://tracing show: process 1 is the engine, a track of
// steps with their phases inside; process 2 has a track for each request: queued, then its prefill chunks, decode and the time
// it was preempted. On a track, spans nest or follow each other. Pure function.
// The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#pragma once

#include "server/trace/step_lines.h"

#include <string>

namespace mie {

[[nodiscard]] std::string chrome_trace(const StepLines& lines);

}  // namespace mie
