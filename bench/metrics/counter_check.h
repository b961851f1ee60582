// The same work on both sides: what the answers add up to against what the server's counters grew by. A difference makes a run
// invalid. Pure; any thread.
#pragma once

#include "bench/load/request_record.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mie::bench {

// How much the counters grew over the run, warm-up included; absent: the server has none such.
struct CounterDeltas {
  std::optional<std::int64_t> prompt_tokens{};      // vllm:prompt_tokens_total
  std::optional<std::int64_t> generation_tokens{};  // vllm:generation_tokens_total
  std::optional<std::int64_t> succeeded{};          // vllm:request_success_total
};

// One line for each difference; none: equal work. Of prompts, the tokens of the spec where it has them, else those of usage.
// What a server had counted of an answer that broke off nobody can say: with such requests the counters must lie between what
// was answered and what was asked.
[[nodiscard]] std::vector<std::string> counter_mismatches(std::span<const RequestRecord> records, const CounterDeltas& deltas);

}  // namespace mie::bench
