#include "server/api/generation_params.h"

#include <algorithm>
#include <array>

namespace mie::api {
namespace {

using json::FieldReader;
using json::IntegerRange;

constexpr std::size_t kMaxModelBytes = 256;
constexpr std::int64_t kDefaultCompletionTokens = 16;
constexpr std::size_t kMaxSaltBytes = 1024;
constexpr std::int64_t kMaxPriority = 1000;

bool valid_handle(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), plain);
}

void read_model(FieldReader& in, GenerationParams& params) {
  const auto model = in.string("model");
  if (!model) return;
  if (model->size() > kMaxModelBytes) return in.wrong_value("model", "at most 256 bytes", json::shown(*model));
  params.model = *model;
}

void read_length(FieldReader& in, GenerationKind kind, GenerationParams& params) {
  const bool may_echo =
      kind == GenerationKind::kCompletion && in.find("echo") && in.find("echo")->is_bool() && bool(*in.find("echo"));
  const IntegerRange range{may_echo ? 0 : 1, std::numeric_limits<std::int64_t>::max()};
  params.max_tokens = in.integer("max_tokens", range);
  if (const auto newer = in.integer("max_completion_tokens", range)) params.max_tokens = newer;
  if (!params.max_tokens && kind == GenerationKind::kCompletion) params.max_tokens = kDefaultCompletionTokens;
  if (const auto min_tokens = in.integer("min_tokens", {0, params.max_tokens.value_or(IntegerRange{}.max)})) {
    params.min_tokens = *min_tokens;
  }
}

void read_choices(FieldReader& in, const ParamLimits& limits, GenerationBody& body) {
  const auto n = in.integer("n", {1, limits.max_n}).value_or(1);
  body.params.n = static_cast<int>(n);
  const auto best_of = in.integer("best_of");
  if (best_of && *best_of != n) in.fail(unsupported("best_of", "choosing among more answers than are returned"));
  if (in.failed()) return;
  const std::size_t n_choices = std::max<std::size_t>(1, body.prompts.size()) * static_cast<std::size_t>(n);
  if (n_choices <= static_cast<std::size_t>(limits.max_choices)) return;
  const std::string most = "at most " + std::to_string(limits.max_choices);
  if (n == 1) return in.wrong_value("prompt", most + " prompts", std::to_string(body.prompts.size()));
  in.wrong_value("n", most + " choices of all prompts together", std::to_string(n_choices));
}

void read_echo(FieldReader& in, GenerationBody& body) {
  body.params.echo = in.boolean("echo").value_or(false);
  if (body.params.echo && body.kind == GenerationKind::kChat) {
    in.fail(unsupported("echo", "the prompt's text before a chat answer"));
  }
}

void read_template_kwargs(FieldReader& in, GenerationParams& params) {
  static constexpr std::array<std::string_view, 11> kReserved = {
      "messages",     "bos_token",       "eos_token", "add_generation_prompt",  "tools",
      "strftime_now", "raise_exception", "documents", "continue_final_message", "tokenize",
      "chat_template"};
  const auto kwargs = in.object("chat_template_kwargs");
  if (!kwargs) return;
  for (const auto field : *kwargs) {
    if (std::find(kReserved.begin(), kReserved.end(), field.key) != kReserved.end()) {
      return in.wrong_value(json::member_path("chat_template_kwargs", field.key), "a name that is not reserved",
                            json::shown(field.key));
    }
    params.template_kwargs.emplace_back(std::string(field.key), to_template_value(field.value));
  }
}

void read_template_options(FieldReader& in, GenerationBody& body) {
  auto& params = body.params;
  const bool chat = body.kind == GenerationKind::kChat;
  params.add_special_tokens = in.boolean("add_special_tokens").value_or(!chat);
  if (!chat) return;
  const auto add_prompt = in.boolean("add_generation_prompt");
  params.continue_final_message = in.boolean("continue_final_message").value_or(false);
  if (params.continue_final_message && add_prompt.value_or(false)) {
    return in.wrong_value("add_generation_prompt", "false with continue_final_message", "true");
  }
  params.add_generation_prompt = add_prompt.value_or(true) && !params.continue_final_message;
  read_template_kwargs(in, params);
}

void read_logprobs(FieldReader& in, const ParamLimits& limits, GenerationBody& body) {
  auto& wanted = body.params.sampling.n_top_logprobs;
  const IntegerRange range{0, limits.max_logprobs};
  if (const auto n = in.integer("prompt_logprobs", range)) body.params.prompt_logprobs = static_cast<std::int32_t>(*n);
  if (body.kind == GenerationKind::kCompletion) {
    wanted = static_cast<std::int32_t>(in.integer("logprobs", range).value_or(-1));
    return;
  }
  const bool logprobs = in.boolean("logprobs").value_or(false);
  const auto top = in.integer("top_logprobs", range);
  if (top && !logprobs) return in.wrong_value("top_logprobs", "absent unless logprobs is true", std::to_string(*top));
  if (logprobs) wanted = static_cast<std::int32_t>(top.value_or(0));
}

void read_stream(FieldReader& in, const json::RequestDocument& document, GenerationParams& params) {
  params.return_token_ids = in.boolean("return_token_ids").value_or(false);
  params.stream = in.boolean("stream").value_or(false);
  if (params.stream && params.prompt_logprobs) {
    return in.wrong_value("prompt_logprobs", "absent when stream is true", std::to_string(*params.prompt_logprobs));
  }
  params.include_timings = in.boolean("include_timings").value_or(false);
  const auto object = in.object("stream_options");
  if (!object) return;
  if (!params.stream) return in.wrong_value("stream_options", "absent unless stream is true", "an object");
  FieldReader options(document, *object, "stream_options");
  params.include_usage = options.boolean("include_usage").value_or(false);
  params.continuous_usage = options.boolean("continuous_usage_stats").value_or(false);
  if (options.failed()) return in.fail(options.fault());
  if (params.continuous_usage && !params.include_usage) {
    in.wrong_value("stream_options.continuous_usage_stats", "false unless include_usage is true", "true");
  }
}

void read_priority(FieldReader& in, const ParamLimits& limits, GenerationParams& params) {
  params.priority = static_cast<int>(in.integer("priority", {-kMaxPriority, kMaxPriority}).value_or(0));
  if (params.priority != 0 && !limits.priorities)
    in.fail(unsupported("priority", "scheduling by priority", "it is off without --priority-ageing"));
}

void read_service(FieldReader& in, GenerationParams& params) {
  params.timeout_ms = in.integer("timeout_ms", {1, IntegerRange{}.max});
  for (const char* name : {"request_id", "rid"}) {
    const auto handle = in.string(name);
    if (!handle) continue;
    if (!valid_handle(*handle)) return in.wrong_value(name, "1 to 128 of A-Z a-z 0-9 . _ -", json::shown(*handle));
    if (params.request_id.empty()) params.request_id = *handle;
  }
  const auto salt = in.string("cache_salt");
  if (salt && (salt->empty() || salt->size() > kMaxSaltBytes)) {
    return in.wrong_value("cache_salt", "between 1 and 1024 bytes", std::to_string(salt->size()) + " bytes");
  }
  if (salt) params.cache_salt = *salt;
}

void read_response_format(FieldReader& in, const json::RequestDocument& document) {
  const auto object = in.object("response_format");
  if (!object) return;
  FieldReader format(document, *object, "response_format");
  const auto type = format.string("type");
  if (!type) format.missing("type");
  if (format.failed()) return in.fail(format.fault());
  if (*type == "text") return;
  in.fail({Errc::kUnsupportedValue, "response_format.type asks for structured output, which this server does not offer",
           "response_format.type"});
}

void require_source(FieldReader& in, const ParamLimits& limits, GenerationBody& body) {
  if (body.kind == GenerationKind::kCompletion) return read_prompt(in, limits, body);
  const auto messages = in.list("messages");
  if (!messages && !in.find("messages")) return in.missing("messages");
  if (messages && messages->size() == 0) in.wrong_value("messages", "a list of at least one message", "an empty list");
}

bool served(const std::vector<std::string>& names, const std::string& model) {
  return model.empty() || std::find(names.begin(), names.end(), model) != names.end();
}

}  // namespace

Error unsupported(std::string_view name, std::string_view capability, std::string_view hint) {
  std::string message = std::string(name) + " asks for " + std::string(capability) + ", which this server does not offer";
  if (!hint.empty()) (message += "; ") += hint;
  return {Errc::kUnsupportedParameter, std::move(message), std::string(name)};
}

Result<GenerationBody> parse_generation(GenerationKind kind, const json::RequestDocument& document, const ParamLimits& limits,
                                        const std::vector<std::string>& served_names) {
  GenerationBody body;
  body.kind = kind;
  FieldReader in(document, document.root());
  read_model(in, body.params);
  require_source(in, limits, body);
  read_length(in, kind, body.params);
  read_choices(in, limits, body);
  read_echo(in, body);
  read_template_options(in, body);
  read_sampling(in, limits, body.params);
  read_logprobs(in, limits, body);
  read_stream(in, document, body.params);
  read_service(in, body.params);
  read_priority(in, limits, body.params);
  read_response_format(in, document);
  refuse_unsupported(in);
  if (in.failed()) return in.fault();
  if (!served(served_names, body.params.model)) {
    return Error{Errc::kModelNotFound, "model " + json::shown(body.params.model) + " does not exist", "model"};
  }
  if (kind == GenerationKind::kChat) read_messages(document, in, body);
  if (in.failed()) return in.fault();
  return body;
}

}  // namespace mie::api
