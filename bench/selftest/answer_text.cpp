#include "bench/selftest/answer_text.h"

#include <fmt/format.h>

#include <iterator>

namespace mie::bench {
namespace {

constexpr std::string_view kStreamHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";

void append_coded(std::string& out, std::string_view bytes) {
  fmt::format_to(std::back_inserter(out), "{:x}\r\n{}\r\n", bytes.size(), bytes);
}

std::string with_length(int status, std::string_view headers, std::string_view body) {
  return fmt::format("HTTP/1.1 {} Known\r\nContent-Type: application/json\r\n{}Content-Length: {}\r\n\r\n{}", status, headers,
                     body.size(), body);
}

std::string words(int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += " w";
  return out;
}

}  // namespace

std::string error_answer(int http_status, std::string_view code, int retry_after_s) {
  const std::string headers = retry_after_s > 0 ? fmt::format("Retry-After: {}\r\n", retry_after_s) : "";
  return with_length(
      http_status, headers,
      fmt::format(R"({{"error":{{"message":"as planned","type":"server_error","param":null,"code":"{}"}}}})", code));
}

void AnswerText::append_head(std::string& out) {
  if (!head_written_ && asked_.stream) out += kStreamHead;
  head_written_ = true;
}

void AnswerText::append_frame(std::string& out, std::string_view text) const {
  append_coded(out, fmt::format("data: {}\n\n", text));
}

std::string AnswerText::usage() const {
  const int n = n_tokens_ + (plan_.fault == AnswerFault::kUsageOff ? 1 : 0);
  return fmt::format(
      R"({{"prompt_tokens":{},"completion_tokens":{},"total_tokens":{},"prompt_tokens_details":{{"cached_tokens":0}}}})",
      asked_.prompt_tokens, n, asked_.prompt_tokens + n);
}

std::string AnswerText::chunk(std::string_view choices, bool with_usage) const {
  return fmt::format(R"({{"id":"known-1","object":"{}","created":1,"model":"known","choices":[{}],"usage":{}}})",
                     asked_.chat ? "chat.completion.chunk" : "text_completion", choices, with_usage ? usage() : "null");
}

std::string AnswerText::choice(int n_new, std::string_view finish) const {
  std::string ids;
  const int other = plan_.fault == AnswerFault::kOtherTokens ? 1 : 0;
  for (int i = n_tokens_ - n_new; i < n_tokens_; ++i)
    fmt::format_to(std::back_inserter(ids), "{}{}", ids.empty() ? "" : ",", known_token(asked_.seed, i) + other);
  const std::string given = asked_.token_ids ? fmt::format(R"(,"token_ids":[{}])", ids) : "";
  const std::string reason = finish.empty() ? "null" : fmt::format(R"("{}")", finish);
  const std::string text = words(n_new);
  if (!asked_.chat)
    return fmt::format(R"({{"index":0,"text":"{}","logprobs":null,"finish_reason":{}{}}})", text, reason, given);
  const std::string inner = asked_.stream && n_new == 0 ? "" : fmt::format(R"("content":"{}")", text);
  return fmt::format(R"({{"index":0,"{}":{{{}}},"logprobs":null,"finish_reason":{}{}}})", asked_.stream ? "delta" : "message",
                     inner, reason, given);
}

void AnswerText::append_event(std::string& out) {
  const bool first = !head_written_;
  append_head(out);
  const int n = plan_.events[next_++].tokens;
  n_tokens_ += n;
  if (!asked_.stream) return;
  if (plan_.comments) append_coded(out, ": ping\n\n");
  if (first && asked_.chat)
    append_frame(out,
                 chunk(R"({"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null})", false));
  append_frame(out, chunk(choice(n, ""), asked_.continuous_usage));
}

void AnswerText::append_end(std::string& out) {
  if (plan_.fault == AnswerFault::kStatus) {
    out += error_answer(plan_.http_status, plan_.code, plan_.retry_after_s);
    return;
  }
  if (plan_.fault == AnswerFault::kNotHttp) {
    out += "220 this is another protocol\r\n\r\n";
    return;
  }
  if (!asked_.stream) return append_whole(out);
  append_head(out);
  append_fault(out);
  if (plan_.fault == AnswerFault::kErrorFrame) {
    out += "0\r\n\r\n";
    return;
  }
  append_frame(out, chunk(choice(0, plan_.finish), asked_.continuous_usage));
  if (asked_.include_usage) append_frame(out, chunk("", true));
  if (plan_.fault != AnswerFault::kNoDone) append_frame(out, "[DONE]");
  out += "0\r\n\r\n";
}

void AnswerText::append_fault(std::string& out) {
  switch (plan_.fault) {
    case AnswerFault::kErrorFrame:
      return append_frame(
          out,
          fmt::format(R"({{"error":{{"message":"as planned","type":"server_error","param":null,"code":"{}"}}}})", plan_.code));
    case AnswerFault::kNotJson:
      return append_frame(out, R"({"choices":[{"index":0,"text":"cut off)");
    case AnswerFault::kWrongTypes:
      return append_frame(out, R"({"choices":[{"index":0,"text":7,"finish_reason":null}]})");
    default:
      return;
  }
}

void AnswerText::append_whole(std::string& out) { out += with_length(200, "", chunk(choice(n_tokens_, plan_.finish), true)); }

}  // namespace mie::bench
