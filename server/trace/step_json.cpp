#include "server/trace/step_json.h"

namespace mie {
namespace {

std::int64_t ns(Clock::time_point at) { return at.time_since_epoch().count(); }

std::string_view event_word(RequestEvent::Kind kind) {
  switch (kind) {
    case RequestEvent::Kind::kSubmitted:
      return "submitted";
    case RequestEvent::Kind::kAdmitted:
      return "admitted";
    case RequestEvent::Kind::kFirstToken:
      return "first_token";
    case RequestEvent::Kind::kPreempted:
      return "preempted";
    case RequestEvent::Kind::kEnded:
      break;
  }
  return "ended";
}

void write_tokens(json::JsonWriter& out, const RowTokens& tokens) {
  out.member("prefill", tokens.n_prefill).member("recompute", tokens.n_recompute).member("decode", tokens.n_decode);
}

// What is not the case is left out: a step of 64 decoding sequences is written some hundred times a second.
void write_row(json::JsonWriter& out, const TracedRow& row) {
  using Event = TracedRow::Event;
  out.begin_object().member("id", static_cast<std::int64_t>(row.id.value()));
  if (row.event == Event::kPreempted) {
    out.member("preempted", true).end_object();
    return;
  }
  out.member("first", row.first_position).member("n", row.n_tokens);
  if (row.tokens.n_prefill > 0) out.member("prefill", row.tokens.n_prefill);
  if (row.tokens.n_recompute > 0) out.member("recompute", row.tokens.n_recompute);
  if (row.n_drafts > 0) out.member("drafts", row.n_drafts).member("accepted", row.n_accepted);
  if (row.sampled) out.member("sampled", true);
  if (row.event == Event::kJoined || row.event == Event::kJoinedAndEnded) out.member("joined", true);
  if (row.event == Event::kEnded || row.event == Event::kJoinedAndEnded) out.member("ended", true);
  out.end_object();
}

}  // namespace

std::string_view finish_word(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kCancelled:
      return "cancelled";
    case FinishReason::kDeadline:
      return "deadline";
    case FinishReason::kError:
      break;
  }
  return "error";
}

void write_step(json::JsonWriter& out, const TracedStep& step, std::span<const TracedRow> rows) {
  out.begin_object().member("step", step.number).member("begin_ns", ns(step.begin));
  out.member("plan_ns", step.plan.count()).member("run_ns", step.run.count()).member("commit_ns", step.commit.count());
  out.member("rows", step.n_rows).member("seqs", step.n_seqs);
  write_tokens(out, step.tokens);
  out.member("drafts_accepted", step.n_drafts_accepted).member("drafts_rejected", step.tokens.n_rejected);
  out.member("blocks_taken", step.n_blocks_taken).member("blocks_back", step.n_blocks_back);
  out.member("blocks_used", step.n_blocks_used).member("blocks_free", step.n_blocks_free);
  out.member("evicted", step.n_evicted).member("rejected", step.n_rejected);
  out.key("sequences").begin_array();
  for (const TracedRow& row : rows) write_row(out, row);
  out.end_array().end_object();
}

void write_event(json::JsonWriter& out, const RequestEvent& event) {
  out.begin_object().member("event", event_word(event.kind)).member("id", static_cast<std::int64_t>(event.id.value()));
  out.member("at_ns", ns(event.at)).member("step", event.step);
  if (event.kind == RequestEvent::Kind::kSubmitted)
    out.member("arrival_ns", ns(event.arrival)).member("n_prompt", event.n_tokens);
  if (event.kind == RequestEvent::Kind::kEnded)
    out.member("n_generated", event.n_tokens).member("reason", finish_word(event.reason));
  out.end_object();
}

}  // namespace mie
