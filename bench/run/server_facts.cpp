#include "bench/run/server_facts.h"

#include <simdjson.h>

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

namespace mie::bench {
namespace {

namespace http = boost::beast::http;

// The same counter in several servers, the first that is there counts.
constexpr std::array kPromptTokens = {std::string_view("vllm:prompt_tokens_total"),
                                      std::string_view("llamacpp:prompt_tokens_total")};
constexpr std::array kCachedApart = {std::string_view("llamacpp:prompt_tokens_cached_total")};  // not in the one above
constexpr std::array kGenerationTokens = {std::string_view("vllm:generation_tokens_total"),
                                          std::string_view("llamacpp:tokens_predicted_total")};
constexpr std::array kSucceeded = {std::string_view("vllm:request_success_total")};

// A counter that is not there yet counts from 0.
std::optional<std::int64_t> delta(const MetricSums& before, const MetricSums& after, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto sum = sum_of(after, name)) return std::llround(*sum - sum_of(before, name).value_or(0));
  }
  return std::nullopt;
}

std::string first_model(const std::string& json) {
  simdjson::dom::parser parser;
  std::string_view id;
  return parser.parse(json)["data"].at(0)["id"].get(id) == simdjson::SUCCESS ? std::string(id) : std::string();
}

bool is_ours(const std::string& json) {
  simdjson::dom::parser parser;
  std::string_view backend;
  return !json.empty() && parser.parse(json)["backend"].get(backend) == simdjson::SUCCESS;
}

std::string body_if_ok(const Result<Fetched>& fetched) {
  return fetched.has_value() && fetched->status == 200 ? fetched->body : std::string();
}

}  // namespace

Result<ServerFacts> server_facts(const ServerAddress& server, const HeaderFields& fields) {
  ServerFacts facts;
  const auto models = fetch(server, http::verb::get, "/v1/models", fields);
  if (models.has_error()) return models.error();
  facts.models_json = body_if_ok(models);
  facts.model = facts.models_json.empty() ? std::string() : first_model(facts.models_json);
  facts.version_json = body_if_ok(fetch(server, http::verb::get, "/version", fields));
  facts.is_mie = is_ours(facts.version_json);
  return facts;
}

MetricSums counters(const ServerAddress& server, const HeaderFields& fields) {
  return metric_sums(body_if_ok(fetch(server, http::verb::get, "/metrics", fields)));
}

CounterDeltas deltas_of(const MetricSums& before, const MetricSums& after) {
  auto prompts = delta(before, after, kPromptTokens);
  if (prompts) *prompts += delta(before, after, kCachedApart).value_or(0);
  return {.prompt_tokens = prompts,
          .generation_tokens = delta(before, after, kGenerationTokens),
          .succeeded = delta(before, after, kSucceeded)};
}

bool flush_prefix_cache(const ServerAddress& server, const HeaderFields& fields) {
  const auto flushed = fetch(server, http::verb::post, "/reset_prefix_cache", fields);
  return flushed.has_value() && flushed->status == 200;
}

}  // namespace mie::bench
