// What a client may ask of a generation, read from a checked body into native types. Every documented check on a field
// alone is made here; what needs the tokenizer comes later (prepare.h). Value; any thread.
#pragma once

#include "core/sampling_params.h"
#include "core/text/jinja/value.h"
#include "server/api/answer_json.h"
#include "server/json/field_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mie::api {

// Limits of the server and the model that field checks need.
struct ParamLimits {
  int n_vocab = 0;
  int max_choices = 64;  // prompts × n
  int max_n = 16;
  int max_logprobs = 20;
  bool priorities = false;
};

struct GenerationParams {
  std::string model;                       // empty: none named
  std::optional<std::int64_t> max_tokens;  // unset (chat only): all that fits
  std::int64_t min_tokens = 0;
  int n = 1;  // choices of each prompt
  bool echo = false;
  bool add_special_tokens = false;
  bool add_generation_prompt = true;
  bool continue_final_message = false;
  std::vector<std::pair<std::string, jinja::Value>> template_kwargs;
  SamplingParams::Raw sampling;
  std::optional<std::int32_t> prompt_logprobs;  // so many best of each prompt position
  bool has_seed = false;                        // else sampling.seed is not set yet
  std::vector<std::string> stops;
  std::vector<TokenId> stop_token_ids;
  bool include_stop = false;
  bool ignore_eos = false;
  bool skip_special = true;
  bool return_token_ids = false;
  bool stream = false;
  bool include_timings = false;
  bool include_usage = false;
  bool continuous_usage = false;
  std::optional<std::int64_t> timeout_ms;
  std::string request_id;
  std::string cache_salt;
  int priority = 0;
};

using Prompt = std::variant<std::string, std::vector<TokenId>>;

struct GenerationBody {
  GenerationKind kind = GenerationKind::kChat;
  GenerationParams params;
  std::vector<Prompt> prompts;  // completions
  bool one_prompt = true;       // prompts was not a list: errors say `prompt`, not `prompt[i]`
  jinja::Value messages;        // chat
  bool ends_with_assistant = false;
};

// Errors: the first bad field in the order of the tables of the interface, then an unknown model, then the messages.
Result<GenerationBody> parse_generation(GenerationKind kind, const json::RequestDocument& document, const ParamLimits& limits,
                                        const std::vector<std::string>& served_names);

// The parts of it, one a file. Each leaves its fault in the reader.
void read_prompt(json::FieldReader& in, const ParamLimits& limits, GenerationBody& body);        // prompt_field.cpp
void read_sampling(json::FieldReader& in, const ParamLimits& limits, GenerationParams& params);  // sampling_fields.cpp
void refuse_unsupported(json::FieldReader& in);                                                  // unsupported_fields.cpp
void read_messages(const json::RequestDocument& document, json::FieldReader& in, GenerationBody& body);  // messages.cpp
[[nodiscard]] jinja::Value to_template_value(const simdjson::dom::element& element);                     // messages.cpp

// "{name} asks for {capability}, which this server does not offer"
[[nodiscard]] Error unsupported(std::string_view name, std::string_view capability, std::string_view hint = {});

}  // namespace mie::api
