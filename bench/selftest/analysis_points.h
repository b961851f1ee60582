// The points that are statistics: bench/analysis makes them, in its own Python environment. Blocks for minutes; any thread.
#pragma once

#include "bench/selftest/point.h"

#include <array>
#include <functional>

namespace mie::bench {

enum class SelfTestLength { kFull, kQuick };

// 5: arrival laws; 6: coverage of intervals; 7: false positives; 8: knees of a queue of known capacity.
inline constexpr std::array kAnalysisPoints = {5, 6, 7, 8};

// Each line when it is known. Where the environment is not installed the one line says so (`not_run`).
void check_by_analysis(int number, SelfTestLength length, const std::function<void(const SelfTestPoint&)>& tell);

}  // namespace mie::bench
