#include "bench/run/server_facts.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
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

// A name as a part of a path; some have slashes, which servers take as they are.
std::string in_a_path(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    out += plain || std::string_view("-._~/").find(c) != std::string_view::npos
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

constexpr std::array kUnquantised = {std::string_view("F32"), std::string_view("F16"), std::string_view("BF16")};

}  // namespace

ServerIdentity identity_of(const std::string& model_json) {
  ServerIdentity out;
  simdjson::dom::parser parser;
  simdjson::dom::object meta;
  if (model_json.empty() || parser.parse(model_json)["meta"].get(meta) != simdjson::SUCCESS) return out;
  const auto text = [&meta](std::string_view name) {
    std::string_view value;
    return meta.at_key(name).get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
  };
  out.weights_sha256 = text("weights_sha256");
  out.tokenizer_sha256 = text("tokenizer_sha256");
  out.revision = text("revision");
  out.kv_dtype = text("kv_dtype");
  const std::string format = text("weight_format");
  const bool plain = std::ranges::find(kUnquantised, format) != kUnquantised.end();
  out.dtype = plain ? format : "";
  out.quantisation = plain ? "none" : format;
  return out;
}

Result<ServerFacts> server_facts(const ServerAddress& server, const HeaderFields& fields, std::string_view model) {
  ServerFacts facts;
  const auto models = fetch(server, http::verb::get, "/v1/models", fields);
  if (models.has_error()) return models.error();
  facts.models_json = body_if_ok(models);
  facts.model = model;
  if (model.empty() && !facts.models_json.empty()) facts.model = first_model(facts.models_json);
  if (!facts.model.empty())
    facts.model_json = body_if_ok(fetch(server, http::verb::get, "/v1/models/" + in_a_path(facts.model), fields));
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
