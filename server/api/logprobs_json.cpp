#include "server/api/logprobs_json.h"

#include "core/text/utf8.h"
#include "server/api/answer_json.h"

#include <algorithm>

namespace mie::api {
namespace {

using json::JsonWriter;

constexpr float kLeastLogprob = -9999;  // JSON has no infinity

void write_logprob(JsonWriter& out, float logprob) {
  if (logprob > kLeastLogprob)
    out.real32(logprob);
  else
    out.fixed(kLeastLogprob, 1);
}

void write_bytes(JsonWriter& out, std::string_view bytes) {
  out.key("bytes").begin_array();
  for (const char c : bytes) out.integer(static_cast<unsigned char>(c));
  out.end_array();
}

bool whole_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = next_utf8(text);
    if (step.kind != Utf8Kind::kWhole) return false;
    text.remove_prefix(step.n_bytes);
  }
  return true;
}

// One {text: logprob} object: the best tokens and the chosen one. Of two tokens with the same text the chosen one, else
// the more probable, keeps the key.
void write_top_map(JsonWriter& out, const Tokenizer& tokenizer, const Sampled& sampled) {
  const std::string chosen = token_text(tokenizer, sampled.token);
  std::vector<std::string> written;
  bool chosen_written = false;
  out.begin_object();
  for (const TopLogprob& top : sampled.top) {
    std::string text = token_text(tokenizer, top.token);
    const bool is_chosen = top.token == sampled.token;
    if (!is_chosen && (text == chosen || std::find(written.begin(), written.end(), text) != written.end())) continue;
    write_logprob(out.key(text), top.logprob);
    chosen_written |= is_chosen;
    written.push_back(std::move(text));
  }
  if (!chosen_written) write_logprob(out.key(chosen), sampled.logprob);
  out.end_object();
}

struct Ranked {
  TokenId token;
  float logprob;
  int rank;
};

void write_ranked(JsonWriter& out, const Tokenizer& tokenizer, const Ranked& ranked) {
  out.key(std::to_string(ranked.token.value())).begin_object();
  write_logprob(out.key("logprob"), ranked.logprob);
  out.member("rank", ranked.rank).member("decoded_token", std::string_view(token_text(tokenizer, ranked.token))).end_object();
}

}  // namespace

std::string token_text(const Tokenizer& tokenizer, TokenId id) {
  const std::string_view bytes = tokenizer.token_bytes(id);
  if (whole_utf8(bytes)) return std::string(bytes);
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text = "bytes:";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 0xFU]};
  }
  return text;
}

void write_chat_logprobs(JsonWriter& out, const Tokenizer& tokenizer, std::span<const TokenEntry> tokens) {
  out.key("logprobs").begin_object().key("content").begin_array();
  for (const TokenEntry& token : tokens) {
    out.begin_object().member("token", std::string_view(token_text(tokenizer, token.sampled.token)));
    write_logprob(out.key("logprob"), token.sampled.logprob);
    write_bytes(out, token.bytes);
    out.key("top_logprobs").begin_array();
    for (const TopLogprob& top : token.sampled.top) {
      out.begin_object().member("token", std::string_view(token_text(tokenizer, top.token)));
      write_logprob(out.key("logprob"), top.logprob);
      write_bytes(out, tokenizer.token_bytes(top.token));
      out.end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().end_object();
}

void write_completion_logprobs(JsonWriter& out, const Tokenizer& tokenizer, std::span<const TokenEntry> tokens) {
  out.key("logprobs").begin_object().key("tokens").begin_array();
  for (const TokenEntry& token : tokens) out.string(token_text(tokenizer, token.sampled.token));
  out.end_array().key("token_logprobs").begin_array();
  for (const TokenEntry& token : tokens) {
    if (token.place == TokenPlace::kFirstOfPrompt)
      out.null();
    else
      write_logprob(out, token.sampled.logprob);
  }
  out.end_array().key("top_logprobs").begin_array();
  for (const TokenEntry& token : tokens) {
    if (token.place == TokenPlace::kFirstOfPrompt)
      out.null();
    else
      write_top_map(out, tokenizer, token.sampled);
  }
  out.end_array().key("text_offset").begin_array();
  for (const TokenEntry& token : tokens) out.integer(token.text_offset);
  out.end_array().end_object();
}

void write_prompt_logprobs(JsonWriter& out, const Tokenizer& tokenizer, std::span<const Sampled> prompt) {
  out.key("prompt_logprobs").begin_array().null();
  for (const Sampled& token : prompt.subspan(1)) {
    out.begin_object();
    write_ranked(out, tokenizer, {token.token, token.logprob, token.rank});
    int rank = 0;
    for (const TopLogprob& top : token.top) {
      ++rank;
      if (top.token != token.token) write_ranked(out, tokenizer, {top.token, top.logprob, rank});
    }
    out.end_object();
  }
  out.end_array();
}

}  // namespace mie::api
