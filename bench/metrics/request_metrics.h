// The figures of one request, from its stamps. What a request did not reach is absent, never 0. Pure; any thread.
#pragma once

#include "bench/load/request_record.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace mie::bench {

// Seconds. "Token event": an event with at least one token; a chunk that only names the role is none.
struct RequestMetrics {
  std::optional<double> lateness;       // send − intended
  std::optional<double> ttft;           // first token − send
  std::optional<double> ttft_intended;  // first token − intended
  std::optional<double> ttst;           // second token − first token; 0 when one event carries both
  std::optional<double> e2el;           // end − send
  std::optional<double> e2el_intended;  // end − intended
  std::optional<double> tpot;           // (last token − first token) / (n − 1); absent for n < 2
  std::optional<double> normalized;     // e2el / n
  std::vector<double> itl;              // gap to the token event before ÷ tokens of this one, once per token
  std::vector<double> event_gaps;       // the same gaps, undivided
  int stalls = 0;                       // event gaps over 200 ms and over 5 × the request's median gap
  double stall_s = 0;                   // their sum
};

[[nodiscard]] RequestMetrics metrics_of(const RequestRecord& record);

// Tokens of the answer: of usage, or counted where there is no usage.
[[nodiscard]] int output_tokens_of(const RequestRecord& record);

// What can be asked for by name: in tables, in service level objectives.
enum class Metric { kLateness, kTtft, kTtftIntended, kTtst, kE2el, kE2elIntended, kTpot, kNormalized, kItl, kEventGap, kStall };

inline constexpr std::array kMetrics = {Metric::kLateness, Metric::kTtft,         Metric::kTtftIntended, Metric::kTtst,
                                        Metric::kE2el,     Metric::kE2elIntended, Metric::kTpot,         Metric::kNormalized,
                                        Metric::kItl,      Metric::kEventGap,     Metric::kStall};

[[nodiscard]] std::string_view name_of(Metric metric);
[[nodiscard]] std::string_view meaning_of(Metric metric);  // in words, with what it is absent for
[[nodiscard]] std::optional<Metric> metric_named(std::string_view name);

// One number of the request: of gaps the longest, of stalls their sum. What an objective is compared with.
[[nodiscard]] std::optional<double> value_of(const RequestMetrics& metrics, Metric metric);

}  // namespace mie::bench
