// The engine's steps in the files of a run: their counts as a member of result.json, and a line for each in steps.jsonl. Pure.
#pragma once

#include "bench/result/run_result.h"
#include "server/json/response_write.h"

#include <string>

namespace mie::bench {

void write_steps(json::JsonWriter& out, const RunResult& result);  // "steps", one object a load; null: nobody told
[[nodiscard]] std::string step_lines(const RunResult& result);     // empty: nobody told

}  // namespace mie::bench
