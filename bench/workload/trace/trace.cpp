#include "bench/workload/trace/trace.h"

#include <filesystem>

namespace mie::bench {

void TraceRow::describe(Fields& fields) {
  for (const auto key : {"t_ns", "prompt_tokens", "output_tokens"}) fields.required(key);
  fields.field("t_ns", t_ns, {std::numeric_limits<std::int64_t>::min() / 4, std::numeric_limits<std::int64_t>::max() / 4});
  fields.field("prompt_tokens", prompt_tokens);
  fields.field("output_tokens", output_tokens);
  if (fields.given("prefix_hash") || !prefix_hash.empty())
    fields.field("prefix_hash", prefix_hash, {0, std::numeric_limits<std::int64_t>::max()});
  fields.field("session", session);
}

std::vector<double> Trace::stamps_s() const {
  std::vector<double> stamps;
  stamps.reserve(rows.size());
  for (const TraceRow& row : rows) stamps.push_back(static_cast<double>(row.t_ns - rows.front().t_ns) * 1e-9);
  return stamps;
}

Result<Trace> read_trace(const std::string& path) {
  Trace trace;
  const auto error = read_lines_of_json(path, [&trace](const Document& line) -> std::optional<Error> {
    TraceRow row;
    if (auto fault = read_fields(line, row)) return fault;
    if (!trace.rows.empty() && row.t_ns < trace.rows.back().t_ns)
      return fault_at(line, "t_ns", "is before that of the line above");
    trace.rows.push_back(std::move(row));
    return {};
  });
  if (error) return *error;
  if (trace.rows.empty()) return Error{Errc::kConfig, std::filesystem::path(path).filename().string() + ": has no rows", ""};
  return trace;
}

std::string trace_lines(const Trace& trace) {
  std::string lines;
  for (const TraceRow& row : trace.rows) lines += canonical_json(write_fields(row)) + '\n';
  return lines;
}

}  // namespace mie::bench
