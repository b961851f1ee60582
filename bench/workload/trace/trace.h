// A trace of arrivals and lengths in our own format, one JSON object a line: {t_ns, prompt_tokens, output_tokens, prefix_hash,
// session}; the last two may be absent. Values and pure functions but for the file; any thread.
#pragma once

#include "bench/workload/document/fields.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mie::bench {

struct TraceRow {
  std::int64_t t_ns = 0;  // from the first arrival or any other origin
  int prompt_tokens = 0;
  int output_tokens = 0;
  std::vector<std::int64_t> prefix_hash;  // blocks of the prompt: equal numbers are equal tokens
  std::optional<int> session;

  void describe(Fields& fields);
};

struct Trace {
  std::vector<TraceRow> rows;  // times do not fall

  [[nodiscard]] std::vector<double> stamps_s() const;  // from the first
};

// Errors: kConfig with file and line.
Result<Trace> read_trace(const std::string& path);

[[nodiscard]] std::string trace_lines(const Trace& trace);

}  // namespace mie::bench
