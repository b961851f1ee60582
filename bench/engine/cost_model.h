// What a step of the simulated engine costs: a + b·prefill tokens + c·decode rows + d·context, in seconds, fitted to the steps
// of a real run by bench/analysis. Context is the sum over the rows of the tokens that each attends to. Values; any thread.
#pragma once

#include "core/base/error.h"
#include "models/model_runner.h"

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace mie::bench {

struct StepWork {
  std::int64_t n_prefill = 0, n_decode = 0, context = 0;
};

// Rows past their prompt decode, all others prefill.
[[nodiscard]] StepWork work_of(const StepBatch& batch, std::span<const SamplingRow> rows);

struct CostModel {
  double a = 0, b = 0, c = 0, d = 0;  // s
  std::string json{};                 // the file, with the error of its fit and where it is from

  [[nodiscard]] std::chrono::nanoseconds of(const StepWork& work) const;
};

// Error kConfig: no cost model of schema mie.cost_model/1, or a coefficient that is no number from 0 on.
[[nodiscard]] Result<CostModel> parse_cost_model(const std::string& json);
[[nodiscard]] Result<CostModel> read_cost_model(const std::string& path);  // names the file

}  // namespace mie::bench
