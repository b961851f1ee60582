// Traces that others have published, read into ours. Rows come out in the order of their times. Pure but for the file; any
// thread.
#pragma once

#include "bench/workload/trace/trace.h"

namespace mie::bench {

enum class TraceFormat : std::uint8_t {
  kMie,
  kMooncake,  // JSONL: timestamp in ms, input_length, output_length, hash_ids of blocks of 512 tokens
  kBurstGpt,  // CSV: Timestamp in s, Session ID, Elapsed time, Model, Request tokens, Response tokens, Total tokens, Log Type
  kAzure,     // CSV: TIMESTAMP as a date and a time, ContextTokens, GeneratedTokens
};

// Errors: kConfig with file and line: a column that is missing, a value that is no number or no time.
Result<Trace> read_public_trace(const std::string& path, TraceFormat format);

}  // namespace mie::bench
