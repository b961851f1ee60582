#include "bench/metrics/glossary.h"

#include "bench/metrics/aggregates.h"
#include "bench/metrics/percentiles.h"

#include <fmt/format.h>

namespace mie::bench {
namespace {

constexpr std::string_view kHead =
    R"(# What the figures mean

Printed by `mie bench metrics` from the tables of the code that computes them; edits are lost.

The clock is the client's. A *token event* is an event of the stream that carries at least one token; one that only names the role is
none, a comment is none. Tokens of an event are counted by its token ids, else by its cumulative usage, else as one. What a request did
not reach is absent, never 0. Failed requests are left out of a distribution's `ok` view and stand in its `all` view with the time at
which they failed.

## Of a request

)";

constexpr std::string_view kStatusHead = R"(
Figures are seconds in `result.json`, milliseconds in reports.

## How a request ends

)";

constexpr std::string_view kRunHead = R"(
## Of a run

The window is what is left of the run without warm-up and tail. Requests are counted where they were to be sent inside it.

| name | is |
|---|---|
| `requests_per_s` | requests that ended well inside the window, per second of it |
| `output_tokens_per_s` | tokens stamped inside |
| `input_tokens_per_s` | prompt tokens of requests whose first token is inside |
| `cached_input_tokens_per_s` | those of them that came from the prefix cache |
| `total_tokens_per_s` | input and output |
| `peak_output_tokens_per_s` | output of the best whole second |
| `goodput` | requests that ended well and met every objective: per second, and as a share of those offered; a missing figure meets none |
| in flight | mean and maximum over the window of the requests between first byte sent and end |
| Little residual | \|L − λW\| / L of the mean in flight L, the rate λ of ends and their mean time W; over 2 % is not steady |

## Percentiles

Exact order statistics of all values. Two are kept: nearest rank, and linear between the two values beside (n − 1)·p, which is the one
shown. One is withheld where fewer than ten values lie beyond it:

| percentile | needs |
|---|---:|
)";

std::string row(std::string_view name, std::string_view meaning) { return fmt::format("| `{}` | {} |\n", name, meaning); }

}  // namespace

std::string glossary() {
  std::string out(kHead);
  out += "| name | is |\n|---|---|\n";
  for (const Metric metric : kMetrics) out += row(name_of(metric), meaning_of(metric));
  out += kStatusHead;
  out += "| status | when |\n|---|---|\n";
  for (const RequestStatus status : kStatuses) out += row(name_of(status), meaning_of(status));
  out += kRunHead;
  for (const int permille : kPercentiles)
    out += fmt::format("| p{:g} | {} |\n", static_cast<double>(permille) / 10, needed_for(permille));
  return out;
}

}  // namespace mie::bench
