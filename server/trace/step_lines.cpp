#include "server/trace/step_lines.h"

#include "server/json/json_lines.h"
#include "server/trace/step_json.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace mie {
namespace {

using json::FieldReader;
using json::RequestDocument;

constexpr std::int64_t kMaxInt = std::numeric_limits<int>::max();

// An absent one is 0: what is not the case is not written.
int count(FieldReader& fields, std::string_view name) {
  return static_cast<int>(fields.integer(name, {.min = 0, .max = kMaxInt}).value_or(0));
}

Clock::time_point stamp(FieldReader& fields, std::string_view name) {
  return Clock::time_point(Clock::duration(fields.required_integer(name, {.min = 0})));
}

Clock::duration span(FieldReader& fields, std::string_view name) {
  return Clock::duration(fields.required_integer(name, {.min = 0, .max = 1'000'000'000'000'000}));
}

RequestId id_of(FieldReader& fields) {
  return RequestId(static_cast<std::uint64_t>(fields.required_integer("id", {.min = 0})));
}

TracedRow::Event row_event(FieldReader& fields) {
  if (fields.boolean("preempted").value_or(false)) return TracedRow::Event::kPreempted;
  const bool joined = fields.boolean("joined").value_or(false), ended = fields.boolean("ended").value_or(false);
  if (joined) return ended ? TracedRow::Event::kJoinedAndEnded : TracedRow::Event::kJoined;
  return ended ? TracedRow::Event::kEnded : TracedRow::Event::kNone;
}

TracedRow read_row(FieldReader& fields) {
  TracedRow row;
  row.id = id_of(fields);
  row.event = row_event(fields);
  row.first_position = count(fields, "first");
  row.n_tokens = count(fields, "n");
  row.n_drafts = count(fields, "drafts");
  row.n_accepted = count(fields, "accepted");
  row.tokens.n_prefill = count(fields, "prefill");
  row.tokens.n_recompute = count(fields, "recompute");
  row.tokens.n_rejected = row.n_drafts - row.n_accepted;
  row.tokens.n_decode = row.n_tokens - row.tokens.n_rejected - row.tokens.n_prefill - row.tokens.n_recompute;
  row.sampled = fields.boolean("sampled").value_or(false);
  return row;
}

std::optional<Error> read_step(const RequestDocument& document, FieldReader& fields, StepLines& lines) {
  TracedStep step;
  step.number = fields.required_integer("step", {.min = 1});
  step.begin = stamp(fields, "begin_ns");
  step.plan = span(fields, "plan_ns");
  step.run = span(fields, "run_ns");
  step.commit = span(fields, "commit_ns");
  step.n_rows = count(fields, "rows");
  step.n_seqs = count(fields, "seqs");
  step.tokens = {count(fields, "prefill"), count(fields, "recompute"), count(fields, "decode"),
                 count(fields, "drafts_rejected")};
  step.n_drafts_accepted = count(fields, "drafts_accepted");
  step.n_blocks_taken = count(fields, "blocks_taken");
  step.n_blocks_back = static_cast<int>(fields.integer("blocks_back", {.min = -kMaxInt, .max = kMaxInt}).value_or(0));
  step.n_blocks_used = count(fields, "blocks_used");
  step.n_blocks_free = count(fields, "blocks_free");
  step.n_evicted = count(fields, "evicted");
  step.n_rejected = count(fields, "rejected");
  step.first_row = std::ssize(lines.rows);
  if (const auto sequences = fields.list("sequences")) {
    for (const auto item : *sequences) {
      simdjson::dom::object object;
      if (item.get(object) != simdjson::SUCCESS) return Error{Errc::kConfig, "sequences must hold objects", ""};
      FieldReader row(document, object, fields.path_of("sequences"));
      lines.rows.push_back(read_row(row));
      if (row.failed()) return row.fault();
    }
  }
  step.n_traced_rows = std::ssize(lines.rows) - step.first_row;
  lines.steps.push_back(step);
  return {};
}

std::optional<RequestEvent::Kind> kind_of(const std::string& word) {
  using Kind = RequestEvent::Kind;
  if (word == "submitted") return Kind::kSubmitted;
  if (word == "admitted") return Kind::kAdmitted;
  if (word == "first_token") return Kind::kFirstToken;
  if (word == "preempted") return Kind::kPreempted;
  if (word == "ended") return Kind::kEnded;
  return {};
}

FinishReason reason_of(const std::string& word) {
  for (const auto reason : {FinishReason::kStop, FinishReason::kLength, FinishReason::kCancelled, FinishReason::kDeadline}) {
    if (finish_word(reason) == word) return reason;
  }
  return FinishReason::kError;
}

std::optional<Error> read_event(const std::string& word, FieldReader& fields, StepLines& lines) {
  const auto kind = kind_of(word);
  if (!kind) return Error{Errc::kConfig, "event is " + json::shown(std::string_view(word)), ""};
  RequestEvent event{.kind = *kind, .id = id_of(fields), .at = stamp(fields, "at_ns"), .arrival = {}};
  event.step = fields.required_integer("step", {.min = 0});
  if (*kind == RequestEvent::Kind::kSubmitted) event.arrival = stamp(fields, "arrival_ns");
  event.n_tokens = count(fields, *kind == RequestEvent::Kind::kSubmitted ? "n_prompt" : "n_generated");
  if (*kind == RequestEvent::Kind::kEnded) event.reason = reason_of(fields.string("reason").value_or(""));
  lines.events.push_back(event);
  return {};
}

std::optional<Error> read_header(FieldReader& fields) {
  if (fields.required_integer("mie_step_trace", {.min = 1}) != 1) return Error{Errc::kConfig, "not a file of --step-trace", ""};
  return {};
}

std::optional<Error> read_line(const RequestDocument& document, FieldReader& fields, StepLines& lines) {
  if (const auto word = fields.string("event")) return read_event(*word, fields, lines);
  if (!fields.find("lost_steps")) return read_step(document, fields, lines);
  lines.n_lost_steps += fields.required_integer("lost_steps", {.min = 0, .max = kMaxInt});
  lines.n_lost_events += fields.required_integer("lost_events", {.min = 0, .max = kMaxInt});
  return {};
}

}  // namespace

Result<StepLines> read_step_lines(std::istream& in) {
  StepLines lines;
  const auto error =
      json::read_json_lines(in, "--step-trace", [&](const RequestDocument& document, FieldReader& fields, bool first) {
        return first ? read_header(fields) : read_line(document, fields, lines);
      });
  if (error) return *error;
  return lines;
}

}  // namespace mie
