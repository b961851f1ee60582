#include "server/api/answer_json.h"

#include "server/api/logprobs_json.h"

namespace mie::api {
namespace {

using json::JsonWriter;

void write_ids(JsonWriter& out, std::string_view name, const std::vector<TokenId>& ids) {
  out.key(name).begin_array();
  for (const TokenId id : ids) out.integer(id.value());
  out.end_array();
}

void write_entry_ids(JsonWriter& out, std::span<const TokenEntry> tokens) {
  out.key("token_ids").begin_array();
  for (const TokenEntry& token : tokens) {
    if (token.place == TokenPlace::kGenerated) out.integer(token.sampled.token.value());
  }
  out.end_array();
}

void write_usage(JsonWriter& out, const Usage& usage) {
  out.key("usage").begin_object();
  out.member("prompt_tokens", usage.prompt_tokens).member("completion_tokens", usage.completion_tokens);
  out.member("total_tokens", usage.prompt_tokens + usage.completion_tokens);
  out.key("prompt_tokens_details").begin_object().member("cached_tokens", usage.cached_tokens).end_object().end_object();
}

void write_timings(JsonWriter& out, const Timings& timings) {
  constexpr int kMicroseconds = 3;  // decimals of a millisecond
  const auto ms = [&out](std::string_view name, const std::optional<double>& value) {
    out.key(name);
    if (value)
      out.fixed(*value, kMicroseconds);
    else
      out.null();
  };
  out.key("timings").begin_object().member("accepted_ns", timings.accepted_ns);
  ms("parsed_ms", timings.parsed_ms);
  ms("tokenized_ms", timings.tokenized_ms);
  ms("enqueued_ms", timings.enqueued_ms);
  ms("admitted_ms", timings.admitted_ms);
  ms("prefill_start_ms", timings.prefill_start_ms);
  ms("prefill_end_ms", timings.prefill_end_ms);
  ms("first_token_ms", timings.first_token_ms);
  ms("first_write_ms", timings.first_write_ms);
  ms("last_token_ms", timings.last_token_ms);
  ms("finished_ms", timings.finished_ms);
  out.member("steps", timings.steps).member("prefill_tokens", timings.prefill_tokens);
  out.member("cached_tokens", timings.cached_tokens).member("preemptions", timings.preemptions);
  out.member("max_batch", timings.max_batch);
  if (timings.length_cause.empty())
    out.null_member("length_cause");
  else
    out.member("length_cause", timings.length_cause);
  out.end_object();
}

void open_answer(JsonWriter& out, const AnswerFrame& frame, std::string_view chat_object) {
  out.begin_object().member("id", std::string_view(frame.id));
  out.member("object", frame.kind == GenerationKind::kChat ? chat_object : "text_completion");
  out.member("created", frame.created).member("model", std::string_view(frame.model));
  out.member("system_fingerprint", std::string_view(frame.fingerprint));
}

// Head of a chunk, up to and including the index of its one choice.
void open_chunk(JsonWriter& out, const AnswerFrame& frame, int index, const ChunkExtras& extras) {
  open_answer(out, frame, "chat.completion.chunk");
  if (extras.prompt_ids != nullptr && frame.kind == GenerationKind::kChat)
    write_ids(out, "prompt_token_ids", *extras.prompt_ids);
  out.key("choices").begin_array().begin_object().member("index", index);
}

std::string close_chunk(JsonWriter& out, const AnswerFrame& frame, const ChunkExtras& extras) {
  if (extras.prompt_ids != nullptr && frame.kind == GenerationKind::kCompletion) {
    write_ids(out, "prompt_token_ids", *extras.prompt_ids);
  }
  out.end_object().end_array();
  if (extras.running_usage)
    write_usage(out, *extras.running_usage);
  else if (frame.include_usage)
    out.null_member("usage");
  if (extras.timings) write_timings(out, *extras.timings);
  out.end_object();
  return out.take();
}

void write_logprobs(JsonWriter& out, const AnswerFrame& frame, std::span<const TokenEntry> tokens) {
  if (frame.n_top_logprobs < 0 || tokens.empty()) {
    out.null_member("logprobs");
  } else if (frame.kind == GenerationKind::kChat) {
    write_chat_logprobs(out, *frame.tokenizer, tokens);
  } else {
    write_completion_logprobs(out, *frame.tokenizer, tokens);
  }
}

void write_end(JsonWriter& out, const ChoiceEnd& end) {
  out.member("finish_reason", end.finish_reason).key("stop_reason");
  if (const auto* text = std::get_if<std::string>(&end.stop_reason))
    out.string(*text);
  else if (const auto* id = std::get_if<TokenId>(&end.stop_reason))
    out.integer(id->value());
  else
    out.null();
  if (end.timings) write_timings(out, *end.timings);
}

void write_choice(JsonWriter& out, const AnswerFrame& frame, int index, const ChoiceAnswer& choice) {
  out.begin_object().member("index", index);
  if (frame.kind == GenerationKind::kChat) {
    out.key("message").begin_object().member("role", "assistant").member("content", std::string_view(choice.text));
    out.null_member("refusal").end_object();
  } else {
    out.member("text", std::string_view(choice.text));
  }
  write_logprobs(out, frame, choice.tokens);
  write_end(out, choice.end);
  if (frame.return_token_ids) {
    if (frame.kind == GenerationKind::kCompletion) write_ids(out, "prompt_token_ids", *choice.prompt_ids);
    write_entry_ids(out, choice.tokens);
  }
  if (!choice.prompt_scores.empty() && frame.kind == GenerationKind::kCompletion) {
    write_prompt_logprobs(out, *frame.tokenizer, choice.prompt_scores);
  }
  out.end_object();
}

}  // namespace

std::string role_chunk(const AnswerFrame& frame, int index, const ChunkExtras& extras) {
  JsonWriter out;
  open_chunk(out, frame, index, extras);
  out.key("delta").begin_object().member("role", "assistant").member("content", "").end_object();
  out.null_member("logprobs").null_member("finish_reason");
  return close_chunk(out, frame, extras);
}

std::string content_chunk(const AnswerFrame& frame, int index, const TextPiece& piece, const ChunkExtras& extras) {
  JsonWriter out;
  open_chunk(out, frame, index, extras);
  if (frame.kind == GenerationKind::kChat) {
    out.key("delta").begin_object().member("content", std::string_view(piece.text)).end_object();
  } else {
    out.member("text", std::string_view(piece.text));
  }
  write_logprobs(out, frame, piece.tokens);
  out.null_member("finish_reason");
  if (frame.return_token_ids) write_entry_ids(out, piece.tokens);
  return close_chunk(out, frame, extras);
}

std::string finish_chunk(const AnswerFrame& frame, int index, std::span<const TokenEntry> rest, const ChoiceEnd& end,
                         const ChunkExtras& extras) {
  JsonWriter out;
  open_chunk(out, frame, index, extras);
  if (frame.kind == GenerationKind::kChat)
    out.key("delta").begin_object().end_object();
  else
    out.member("text", "");
  write_logprobs(out, frame, rest);
  write_end(out, end);
  if (frame.return_token_ids) write_entry_ids(out, rest);
  return close_chunk(out, frame, extras);
}

std::string usage_chunk(const AnswerFrame& frame, const Usage& usage, const std::optional<Timings>& timings) {
  JsonWriter out;
  open_answer(out, frame, "chat.completion.chunk");
  out.key("choices").begin_array().end_array();
  write_usage(out, usage);
  if (timings) write_timings(out, *timings);
  out.end_object();
  return out.take();
}

std::string whole_answer(const AnswerFrame& frame, std::span<const ChoiceAnswer> choices, const Usage& usage,
                         const std::optional<Timings>& timings) {
  JsonWriter out;
  open_answer(out, frame, "chat.completion");
  if (frame.return_token_ids && frame.kind == GenerationKind::kChat) {
    write_ids(out, "prompt_token_ids", *choices.front().prompt_ids);
  }
  out.key("choices").begin_array();
  for (std::size_t i = 0; i < choices.size(); ++i) write_choice(out, frame, static_cast<int>(i), choices[i]);
  out.end_array();
  if (!choices.front().prompt_scores.empty() && frame.kind == GenerationKind::kChat) {
    write_prompt_logprobs(out, *frame.tokenizer, choices.front().prompt_scores);
  }
  write_usage(out, usage);
  if (timings) write_timings(out, *timings);
  out.end_object();
  return out.take();
}

}  // namespace mie::api
