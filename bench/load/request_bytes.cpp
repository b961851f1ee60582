#include "bench/load/request_bytes.h"

#include "server/json/response_write.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace mie::bench {
namespace {

using json::JsonWriter;

void write_prompt(JsonWriter& out, const PlannedRequest& request, Endpoint endpoint) {
  if (endpoint == Endpoint::kChat) {
    out.key("messages").begin_array().begin_object().member("role", "user").member("content", std::string_view(request.text));
    out.end_object().end_array();
  } else if (request.prompt.empty()) {
    out.member("prompt", std::string_view(request.text));
  } else {
    out.key("prompt").begin_array();
    for (const TokenId id : request.prompt) out.integer(id.value());
    out.end_array();
  }
}

void write_sampling(JsonWriter& out, const SamplingMembers& sampling, Endpoint endpoint) {
  out.key("temperature").number(sampling.temperature).key("top_p").number(sampling.top_p).member("top_k", sampling.top_k);
  out.key("min_p").number(sampling.min_p).key("repetition_penalty").number(sampling.repetition_penalty);
  out.key("presence_penalty").number(sampling.presence_penalty).key("frequency_penalty").number(sampling.frequency_penalty);
  if (sampling.logprobs == 0) return;
  if (endpoint == Endpoint::kChat) {
    out.member("logprobs", true).member("top_logprobs", sampling.logprobs);
  } else {
    out.member("logprobs", sampling.logprobs);
  }
}

void write_stream(JsonWriter& out, const StreamMembers& stream) {
  if (stream.token_ids) out.member("return_token_ids", true);
  if (stream.timings) out.member("include_timings", true);
  out.member("stream", stream.enabled);
  if (!stream.enabled || !stream.include_usage) return;
  out.key("stream_options").begin_object().member("include_usage", true);
  if (stream.continuous_usage) out.member("continuous_usage_stats", true);
  out.end_object();
}

}  // namespace

std::string request_body(const PlannedRequest& request, const LoadSettings& settings) {
  JsonWriter out;
  out.begin_object().member("model", std::string_view(settings.model));
  write_prompt(out, request, settings.endpoint);
  out.member("max_tokens", request.output_tokens);
  if (settings.exact) out.member("min_tokens", request.output_tokens);
  if (settings.ignore_eos) out.member("ignore_eos", true);
  // Servers take seeds below 2^63.
  out.member("seed", static_cast<std::int64_t>(request.seed & std::uint64_t{std::numeric_limits<std::int64_t>::max()}));
  write_sampling(out, settings.sampling, settings.endpoint);
  write_stream(out, settings.stream);
  if (settings.deadline)
    out.member("timeout_ms",
               std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::milliseconds>(*settings.deadline).count()));
  std::string text = out.end_object().take();
  for (const auto& [name, value] : settings.members) {
    text.pop_back();
    text += ',';
    json::append_quoted(text, name);
    text += ':' + value + '}';
  }
  return text;
}

std::string request_bytes(const PlannedRequest& request, const LoadSettings& settings, const ServerAddress& server) {
  const std::string body = request_body(request, settings);
  std::string out = "POST " + server.prefix;
  out += settings.endpoint == Endpoint::kChat ? "/v1/chat/completions" : "/v1/completions";
  out += " HTTP/1.1\r\nHost: " + server.host + "\r\nUser-Agent: mie-bench\r\nContent-Type: application/json\r\n";
  for (const auto& [name, value] : settings.headers) out.append(name).append(": ").append(value).append("\r\n");
  if (!settings.keepalive) out += "Connection: close\r\n";
  out += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  return out += body;
}

}  // namespace mie::bench
