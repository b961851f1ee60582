#include "bench/workload/trace/public_traces.h"

#include "bench/workload/trace/csv_file.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <map>

namespace mie::bench {
namespace {

constexpr double kMostSeconds = 1e9;  // thirty years: a stamp in nanoseconds stays far from the end of 64 bits

struct MooncakeRow {
  std::int64_t timestamp = 0;  // ms
  int input_length = 0, output_length = 0;
  std::vector<std::int64_t> hash_ids;

  void describe(Fields& fields) {
    for (const auto key : {"timestamp", "input_length", "output_length"}) fields.required(key);
    fields.field("timestamp", timestamp, {0, static_cast<std::int64_t>(kMostSeconds) * 1000});
    fields.field("input_length", input_length);
    fields.field("output_length", output_length);
    fields.field("hash_ids", hash_ids, {0, std::numeric_limits<std::int64_t>::max()});
    fields.ignore_others();
  }
};

Result<Trace> read_mooncake(const std::string& path) {
  Trace trace;
  const auto error = read_lines_of_json(path, [&trace](const Document& line) -> std::optional<Error> {
    MooncakeRow row;
    if (auto fault = read_fields(line, row)) return fault;
    trace.rows.push_back({.t_ns = row.timestamp * 1'000'000,
                          .prompt_tokens = row.input_length,
                          .output_tokens = row.output_length,
                          .prefix_hash = std::move(row.hash_ids),
                          .session = {}});
    return {};
  });
  if (error) return *error;
  return trace;
}

// Failed requests have no response and are left out.
Result<Trace> read_burst_gpt(const std::string& path) {
  auto file = CsvFile::open(path, {"Timestamp", "Request tokens", "Response tokens"});
  if (file.has_error()) return file.error();
  Trace trace;
  std::map<std::string, int, std::less<>> sessions;
  while (file->next()) {
    const auto seconds = file->number("Timestamp");
    const auto prompt = file->count("Request tokens"), output = file->count("Response tokens");
    if (!seconds || *seconds < 0 || *seconds > kMostSeconds) return file->fault("Timestamp", "must be a number of seconds");
    if (!prompt) return file->fault("Request tokens", "must be a count");
    if (!output) return file->fault("Response tokens", "must be a count");
    if (*output == 0) continue;
    TraceRow row{.t_ns = std::llround(*seconds * 1e9),
                 .prompt_tokens = *prompt,
                 .output_tokens = *output,
                 .prefix_hash = {},
                 .session = {}};
    const std::string_view session = file->text("Session ID");
    if (!session.empty())
      row.session = sessions.try_emplace(std::string(session), static_cast<int>(sessions.size())).first->second;
    trace.rows.push_back(std::move(row));
  }
  return trace;
}

// Digits up to `end`, which is passed over; false for anything else.
bool take(std::string_view& text, char end, int& value) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || value < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  if (end == 0) return true;
  if (!text.starts_with(end)) return false;
  text.remove_prefix(1);
  return true;
}

// "2023-11-16 18:15:46.6805900", of UTC; a zone of +00:00 may follow.
std::optional<std::int64_t> nanoseconds_of(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const bool whole = take(text, '-', year) && take(text, '-', month) && take(text, ' ', day) && take(text, ':', hour) &&
                     take(text, ':', minute) && take(text, 0, second);
  const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!whole || !date.ok() || year < 1970 || year > 2200 || hour > 23 || minute > 59 || second > 60) return {};
  std::int64_t fraction = 0, unit = 1'000'000'000;
  if (text.starts_with('.')) {
    for (text.remove_prefix(1); !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1)) {
      unit /= 10;
      fraction += (text[0] - '0') * unit;
    }
  }
  if (!text.empty() && text != "+00:00" && text != "Z") return {};
  const auto at = std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hour) + std::chrono::minutes(minute) +
                  std::chrono::seconds(second);
  return std::chrono::nanoseconds(at).count() + fraction;
}

Result<Trace> read_azure(const std::string& path) {
  auto file = CsvFile::open(path, {"TIMESTAMP", "ContextTokens", "GeneratedTokens"});
  if (file.has_error()) return file.error();
  Trace trace;
  while (file->next()) {
    const auto time = nanoseconds_of(file->text("TIMESTAMP"));
    const auto prompt = file->count("ContextTokens"), output = file->count("GeneratedTokens");
    if (!time) return file->fault("TIMESTAMP", "must be a date and a time");
    if (!prompt) return file->fault("ContextTokens", "must be a count");
    if (!output) return file->fault("GeneratedTokens", "must be a count");
    trace.rows.push_back({.t_ns = *time, .prompt_tokens = *prompt, .output_tokens = *output, .prefix_hash = {}, .session = {}});
  }
  return trace;
}

// Rows of one instant stay in their order.
void sort_by_time(std::vector<TraceRow>& rows) {
  std::multimap<std::int64_t, TraceRow> sorted;
  for (TraceRow& row : rows) {
    const std::int64_t time = row.t_ns;
    sorted.emplace(time, std::move(row));
  }
  rows.clear();
  for (auto& [time, row] : sorted) rows.push_back(std::move(row));
}

Result<Trace> read_as(const std::string& path, TraceFormat format) {
  switch (format) {
    case TraceFormat::kMooncake:
      return read_mooncake(path);
    case TraceFormat::kBurstGpt:
      return read_burst_gpt(path);
    case TraceFormat::kAzure:
      return read_azure(path);
    case TraceFormat::kMie:
      break;
  }
  return read_trace(path);
}

}  // namespace

Result<Trace> read_public_trace(const std::string& path, TraceFormat format) {
  auto trace = read_as(path, format);
  if (trace.has_error()) return trace;
  if (trace->rows.empty()) return Error{Errc::kConfig, "the trace has no rows", ""};
  sort_by_time(trace->rows);
  const std::int64_t first = trace->rows.front().t_ns;
  for (TraceRow& row : trace->rows) row.t_ns -= first;
  return trace;
}

}  // namespace mie::bench
