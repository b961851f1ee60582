// Names of capabilities that this server does not offer. Each is refused unless its value is null, an empty list or
// object, or neutral: a value that asks for nothing. A capability that lands leaves this table in the same commit.
#include "server/api/generation_params.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace mie::api {
namespace {

using simdjson::dom::element;
using Type = simdjson::dom::element_type;

struct Refused {
  std::string_view name;
  std::string_view capability;
  std::string_view neutral{};  // JSON values that ask for nothing, with a space between them
  std::string_view hint{};
};

constexpr std::string_view kStructured = "structured output";
constexpr std::string_view kTools = "tool calls";
constexpr std::string_view kModalities = "input or output other than text";
constexpr std::string_view kReasoning = "reasoning control";
constexpr std::string_view kReasoningHint = "use chat_template_kwargs";
constexpr std::string_view kSearch = "search or fill-in decoding";
constexpr std::string_view kSamplers = "another sampler";
constexpr std::string_view kFilters = "token filters";
constexpr std::string_view kEditing = "editing of the prompt";
constexpr std::string_view kScheduling = "scheduling or adapters by request";
constexpr std::string_view kForeign = "the name of another interface";

constexpr auto kRefused = std::to_array<Refused>({
    {"structured_outputs", kStructured},
    {"guided_json", kStructured},
    {"guided_regex", kStructured},
    {"guided_choice", kStructured},
    {"guided_grammar", kStructured},
    {"guided_decoding_backend", kStructured},
    {"guided_whitespace_pattern", kStructured},
    {"json_schema", kStructured},
    {"regex", kStructured},
    {"ebnf", kStructured},
    {"grammar", kStructured},
    {"structural_tag", kStructured},
    {"tools", kTools},
    {"tool_choice", kTools, "\"none\" \"auto\""},
    {"functions", kTools},
    {"function_call", kTools, "\"none\" \"auto\""},
    {"modalities", kModalities, "[\"text\"]"},
    {"audio", kModalities},
    {"prediction", kModalities},
    {"web_search_options", kModalities},
    {"mm_processor_kwargs", kModalities},
    {"documents", kModalities},
    {"reasoning_effort", kReasoning, "\"none\"", kReasoningHint},
    {"reasoning", kReasoning, "", kReasoningHint},
    {"thinking", kReasoning, "", kReasoningHint},
    {"thinking_budget", kReasoning, "", kReasoningHint},
    {"verbosity", kReasoning, "\"medium\"", kReasoningHint},
    {"use_beam_search", kSearch, "false"},
    {"length_penalty", kSearch, "1"},
    {"early_stopping", kSearch, "false"},
    {"suffix", kSearch, "\"\""},
    {"input_prefix", kSearch},
    {"input_suffix", kSearch},
    {"input_extra", kSearch},
    {"typical_p", kSamplers, "1"},
    {"top_a", kSamplers, "0"},
    {"tfs_z", kSamplers, "1"},
    {"top_n_sigma", kSamplers, "-1 0"},
    {"xtc_probability", kSamplers, "0"},
    {"dry_multiplier", kSamplers, "0"},
    {"mirostat", kSamplers, "0"},
    {"dynatemp_range", kSamplers, "0"},
    {"samplers", kSamplers},
    {"logits_processors", kSamplers},
    {"custom_logit_processor", kSamplers},
    {"custom_params", kSamplers},
    {"allowed_token_ids", kFilters},
    {"bad_words", kFilters},
    {"logprob_token_ids", kFilters},
    {"return_tokens_as_token_ids", kFilters, "false"},
    {"stop_regex", kFilters},
    {"n_probs", kFilters, "0"},
    {"truncate_prompt_tokens", kEditing},
    {"truncation_side", kEditing},
    {"truncate_sequence", kEditing, "false"},
    {"context_shift", kEditing, "false"},
    {"n_keep", kEditing, "0"},
    {"n_discard", kEditing, "0"},
    {"chat_template", kEditing},
    {"stream_interval", kScheduling, "1"},
    {"lora", kScheduling},
    {"lora_path", kScheduling},
    {"lora_adapters", kScheduling},
    {"adapter", kScheduling},
    {"kv_transfer_params", kScheduling},
    {"cache_prompt", kScheduling, "true"},
    {"previous_response_id", kScheduling},
    {"background", kScheduling, "false"},
    {"max_new_tokens", kForeign, "", "use max_tokens"},
    {"max_length", kForeign, "", "use max_tokens"},
    {"n_predict", kForeign, "", "use max_tokens"},
    {"num_predict", kForeign, "", "use max_tokens"},
    {"repeat_penalty", kForeign, "1", "use repetition_penalty"},
    {"no_stop_trim", kForeign, "false", "use include_stop_str_in_output"},
    {"t_max_predict_ms", kForeign, "", "use timeout_ms"},
});

// A value as the neutral column writes it; empty when that column never holds such a value.
std::string neutral_form(const element& value) {
  if (value.is_string()) return '"' + std::string(std::string_view(value)) + '"';
  if (value.is_array()) {
    const simdjson::dom::array list(value);
    return list.size() == 1 ? '[' + neutral_form(list.at(0).value()) + ']' : std::string();
  }
  return value.is_object() ? std::string() : json::shown(value);
}

bool asks_for_nothing(const element& value, std::string_view neutral) {
  if (value.is_array() && simdjson::dom::array(value).size() == 0) return true;
  if (value.is_object() && simdjson::dom::object(value).size() == 0) return true;
  const std::string form = neutral_form(value);
  if (form.empty() || form.find(' ') != std::string::npos) return false;
  const std::string list = ' ' + std::string(neutral) + ' ';
  return list.find(' ' + form + ' ') != std::string::npos;
}

}  // namespace

void refuse_unsupported(json::FieldReader& in) {
  for (const Refused& row : kRefused) {
    if (in.failed()) return;
    const auto value = in.find(row.name);
    if (value && !asks_for_nothing(*value, row.neutral)) in.fail(unsupported(row.name, row.capability, row.hint));
  }
}

}  // namespace mie::api
