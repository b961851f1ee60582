#include "server/json/response_write.h"
#include "server/record/record_lines.h"
#include "server/record/record_words.h"

#include <fmt/format.h>

#include <span>

namespace mie {
namespace {

using json::JsonWriter;

void write_ids(JsonWriter& out, std::string_view name, std::span<const TokenId> ids) {
  out.key(name).begin_array();
  for (const TokenId id : ids) out.integer(id.value());
  out.end_array();
}

// Floats as doubles: they read back to the bit.
void write_sampling(JsonWriter& out, const SamplingParams& sampling) {
  const SamplingRow row = sampling.row();
  const auto real = [&out](std::string_view name, float value) { out.key(name).number(static_cast<double>(value)); };
  out.key("sampling").begin_object();
  real("temperature", row.temperature);
  real("top_p", row.top_p);
  out.member("top_k", row.top_k);
  real("min_p", row.min_p);
  real("presence_penalty", row.presence_penalty);
  real("frequency_penalty", row.frequency_penalty);
  real("repetition_penalty", row.repetition_penalty);
  out.member("seed", static_cast<std::int64_t>(row.seed)).member("n_top_logprobs", row.n_top_logprobs);
  out.key("logit_bias").begin_array();
  for (const LogitBias& bias : row.logit_bias) {
    out.begin_array().integer(bias.token.value()).number(static_cast<double>(bias.bias)).end_array();
  }
  out.end_array().end_object();
}

void write_request(JsonWriter& out, const Request& request, Clock::time_point start) {
  out.member("arrival_ns", (request.arrival - start).count());
  write_ids(out, "prompt", request.prompt);
  write_sampling(out, request.sampling);
  write_ids(out, "stop_ids", request.stop_ids);
  out.member("max_tokens", request.max_tokens).member("min_tokens", request.min_tokens);
  if (request.deadline) out.member("deadline_ns", (*request.deadline - start).count());
  out.member("priority", request.priority);
  if (request.n_prompt_logprobs) out.member("n_prompt_logprobs", *request.n_prompt_logprobs);
  if (!request.cache_salt.empty()) out.member("cache_salt", std::string_view(request.cache_salt));
  out.member("choice", request.choice).member("n_choices", request.n_choices);
}

}  // namespace

std::string header_line(const RecordHeader& header) {
  JsonWriter out;
  out.begin_object().member("mie_record", 1).member("version", std::string_view(header.version));
  out.member("commit", std::string_view(header.commit)).member("model", std::string_view(header.model_name));
  out.member("fingerprint", std::string_view(header.fingerprint)).member("n_vocab", header.n_vocab);
  out.member("n_blocks", header.n_blocks).member("block_size", header.block_size);
  out.member("row_time_ns", header.row_time.count()).key("settings").begin_object();
  for (const auto& [name, text] : header.settings) out.member(name, std::string_view(text));
  out.end_object().end_object();
  return out.take();
}

std::string event_line(const RecordEvent& event, Clock::time_point start) {
  using Kind = RecordEvent::Kind;
  JsonWriter out;
  out.begin_object().member("event", word_of(event.kind)).member("step", event.step);
  const bool asked = event.kind == Kind::kTaken || event.kind == Kind::kReleased;
  if (asked || event.kind == Kind::kEnded) out.member("id", static_cast<std::int64_t>(event.id.value()));
  if (asked || event.kind == Kind::kPlanned) out.member("at_ns", event.at.count());
  if (event.kind == Kind::kTaken) write_request(out, *event.request, start);
  if (event.kind == Kind::kReleased) out.member("outcome", word_of(event.outcome)).member("n_delivered", event.n_delivered);
  if (event.kind == Kind::kEnded) {
    out.member("reason", word_of(event.reason));
    write_ids(out, "tokens", event.tokens);
  }
  if (event.kind == Kind::kPlanned) out.member("plan", std::string_view(fmt::format("{:016x}", event.digest)));
  if (event.kind == Kind::kCommitted) out.member("run_ns", event.run.count());
  out.end_object();
  return out.take();
}

std::string gap_line() { return R"({"event":"gap"})"; }

}  // namespace mie
