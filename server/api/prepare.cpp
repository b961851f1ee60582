#include "server/api/prepare.h"

#include "core/base/ensure.h"
#include "server/api/echoed_prompt.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <limits>

namespace mie::api {
namespace {

struct TokenizedPrompt {
  std::vector<TokenId> ids;
  EchoedPrompt echo{};
};

Error too_long(const ServedModel& model, std::int64_t n_prompt, std::int64_t n_output, const std::string& param) {
  const std::int64_t room = std::numeric_limits<std::int64_t>::max() - n_prompt;
  const std::int64_t total = n_prompt + std::min(n_output, room);
  return {Errc::kContextLengthExceeded,
          fmt::format("maximum context length is {} tokens; requested {} ({} in the prompt, {} for the completion)",
                      model.max_model_len, total, n_prompt, n_output),
          param};
}

// A text of more bytes than the longest tokens could fill is refused before it is tokenized; the message then has a
// lower bound of its tokens.
std::optional<Error> surely_too_long(const ServedModel& model, std::string_view text, const std::string& param) {
  const std::size_t longest = std::max<std::size_t>(1, model.tokenizer->max_token_bytes());
  const std::size_t least_tokens = text.size() / longest;
  if (least_tokens <= static_cast<std::size_t>(model.max_model_len)) return {};
  return too_long(model, static_cast<std::int64_t>(least_tokens), 1, param);
}

// → how many went before the others.
std::size_t add_special_tokens(const ServedModel& model, std::vector<TokenId>& ids) {
  const TokenizerConfig& config = model.tokenizer->config();
  const bool wants_bos = config.add_bos && !config.bos_id.empty() && (ids.empty() || ids.front() != config.bos_id.front());
  if (wants_bos) ids.insert(ids.begin(), config.bos_id.front());
  if (config.add_eos && !config.eos_ids.empty()) ids.push_back(config.eos_ids.front());
  return wants_bos ? 1 : 0;
}

Result<TokenizedPrompt> tokenize_chat(const ServedModel& model, const GenerationBody& body, const Clock& clock) {
  if (!model.chat_template) {
    const auto message =
        fmt::format("model {} has no chat template; use /v1/completions or start with --chat-template", model.names.front());
    return Error{Errc::kNoChatTemplate, message, "messages"};
  }
  ChatTemplateOptions options;
  options.add_generation_prompt = body.params.add_generation_prompt;
  options.continue_final_message = body.params.continue_final_message;
  options.kwargs = body.params.template_kwargs;
  options.now_unix_seconds = clock.unix_seconds();
  auto rendered = model.chat_template->render(body.messages, options);
  if (rendered.has_error()) {
    Error error = std::move(rendered).error();
    error.param = "messages";
    return error;
  }
  if (auto error = surely_too_long(model, rendered->text, "messages")) return *std::move(error);
  TokenizedPrompt prompt;
  prompt.ids = model.parse_special_in_content ? model.tokenizer->encode(rendered->text)
                                              : model.tokenizer->encode(rendered->text, rendered->literal);
  if (body.params.add_special_tokens) add_special_tokens(model, prompt.ids);
  return prompt;
}

Result<TokenizedPrompt> tokenize_prompt(const ServedModel& model, const GenerationParams& params, Prompt& prompt,
                                        const std::string& param) {
  TokenizedPrompt out;
  if (auto* ids = std::get_if<std::vector<TokenId>>(&prompt)) {
    if (params.echo) out.echo = echo_of_ids(*model.tokenizer, *ids, params.skip_special);
    out.ids = std::move(*ids);
    return out;
  }
  auto& text = std::get<std::string>(prompt);
  if (auto error = surely_too_long(model, text, param)) return *std::move(error);
  out.ids = model.tokenizer->encode(text);
  TextTokens of_text{.first = 0, .n = out.ids.size()};
  if (params.add_special_tokens) of_text.first = add_special_tokens(model, out.ids);
  if (params.echo) out.echo = echo_of_text(*model.tokenizer, std::move(text), out.ids, of_text);
  return out;
}

// Unset: the prompt leaves no room, or asks for more than there is.
Result<int> output_tokens(const ServedModel& model, const GenerationParams& params, std::size_t n_prompt,
                          const std::string& param) {
  const auto prompt = static_cast<std::int64_t>(n_prompt);
  const std::int64_t room = model.max_model_len - prompt;
  const std::int64_t wanted = params.max_tokens.value_or(std::max<std::int64_t>(room, 1));
  if (wanted > room) return too_long(model, prompt, wanted, param);
  if (params.min_tokens > wanted) {
    return Error{Errc::kInvalidValue, fmt::format("min_tokens must be at most {}, got {}", wanted, params.min_tokens),
                 "min_tokens"};
  }
  return static_cast<int>(wanted);
}

// A stop string that is exactly the text of a control token also stops on that token, which may be hidden from the text.
std::vector<std::pair<TokenId, std::string>> control_stops(const ServedModel& model, const std::vector<std::string>& stops) {
  std::vector<std::pair<TokenId, std::string>> found;
  for (const std::string& stop : stops) {
    const auto ids = model.tokenizer->encode(stop);
    if (ids.size() == 1 && model.tokenizer->special(ids.front())) found.emplace_back(ids.front(), stop);
  }
  return found;
}

std::vector<TokenId> stop_ids(const GenerationParams& params, const PreparedChoice& choice) {
  std::vector<TokenId> ids = params.stop_token_ids;
  ids.insert(ids.end(), choice.eos_ids.begin(), choice.eos_ids.end());
  for (const auto& [id, text] : choice.stop_texts) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

// The n-th of the seeds that follow from one: SplitMix64, without the sign bit.
std::uint64_t mixed_seed(std::uint64_t base, std::uint64_t n) {
  std::uint64_t x = base + 0x9E3779B97F4A7C15ULL * n;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return (x ^ (x >> 31U)) >> 1U;
}

// The first choice of a prompt draws as if it were the only one.
std::uint64_t seed_of_choice(std::uint64_t seed, int j) {
  return j == 0 ? seed : mixed_seed(seed, static_cast<std::uint64_t>(j));
}

Result<PreparedChoice> make_choice(const PrepareContext& context, const GenerationParams& params, TokenizedPrompt prompt,
                                   const std::string& param) {
  const ServedModel& model = context.model;
  if (prompt.ids.empty()) return Error{Errc::kEmptyPrompt, param + " has no tokens", param};
  const auto n_output = output_tokens(model, params, prompt.ids.size(), param);
  if (n_output.has_error()) return n_output.error();
  PreparedChoice choice;
  choice.stop_texts = control_stops(model, params.stops);
  if (!params.ignore_eos) choice.eos_ids = model.eos_ids;
  choice.until_context = !params.max_tokens;
  choice.request.prompt = std::move(prompt.ids);
  choice.request.stop_ids = stop_ids(params, choice);
  choice.request.max_tokens = *n_output;
  choice.request.min_tokens = static_cast<int>(params.min_tokens);
  choice.request.cache_salt = params.cache_salt;
  choice.request.n_choices = params.n;
  choice.request.priority = params.priority;
  if (params.echo) choice.n_echo_logprobs = params.sampling.n_top_logprobs;
  choice.n_prompt_logprobs = params.prompt_logprobs.value_or(-1);
  const int n_most = std::max(choice.n_echo_logprobs, choice.n_prompt_logprobs);
  if (n_most >= 0) choice.request.n_prompt_logprobs = n_most;
  choice.text = {.stops = params.stops,
                 .include_stop = params.include_stop,
                 .skip_special = params.skip_special,
                 .min_tokens = choice.request.min_tokens,
                 .stop_ids = choice.request.stop_ids,
                 .echo = std::move(prompt.echo.text),
                 .echo_offsets = std::move(prompt.echo.offsets)};
  return choice;
}

std::optional<Error> add_choice(PreparedGeneration& out, const PrepareContext& context, Result<TokenizedPrompt> prompt,
                                const std::string& param) {
  if (prompt.has_error()) return prompt.error();
  auto first = make_choice(context, out.params, std::move(*prompt), param);
  if (first.has_error()) return first.error();
  SamplingParams::Raw raw = out.params.sampling;
  const std::uint64_t seed = out.params.has_seed ? raw.seed : context.seeds.next();
  for (int j = 0; j < out.params.n; ++j) {
    raw.seed = seed_of_choice(seed, j);
    const auto sampling = SamplingParams::from(raw, context.limits.n_vocab, context.limits.max_logprobs);
    if (sampling.has_error()) return sampling.error();
    PreparedChoice& choice = out.choices.emplace_back(*first);
    choice.request.sampling = *sampling;
    choice.request.choice = j;
  }
  return {};
}

std::optional<Error> add_choices(PreparedGeneration& out, const PrepareContext& context, GenerationBody& body) {
  if (body.kind == GenerationKind::kChat) {
    return add_choice(out, context, tokenize_chat(context.model, body, context.clock), "messages");
  }
  for (std::size_t i = 0; i < body.prompts.size(); ++i) {
    const std::string param = body.one_prompt ? "prompt" : json::item_path("prompt", i);
    if (auto error = add_choice(out, context, tokenize_prompt(context.model, out.params, body.prompts[i], param), param))
      return error;
  }
  return {};
}

}  // namespace

std::uint64_t SeedSource::next() {
  if (fixed_) return mixed_seed(base_, n_drawn_.fetch_add(1) + 1);
  std::uint64_t seed = 0;
  ENSURE(::getrandom(&seed, sizeof seed, 0) == sizeof seed, "getrandom");
  return seed >> 1U;
}

Result<PreparedGeneration> prepare_generation(GenerationKind kind, std::string body, const PrepareContext& context) {
  auto document = json::RequestDocument::parse(std::move(body));
  if (document.has_error()) return document.error();
  auto parsed = parse_generation(kind, *document, context.limits, context.model.names);
  if (parsed.has_error()) return parsed.error();
  PreparedGeneration out;
  out.kind = kind;
  out.params = std::move(parsed->params);
  out.model = out.params.model.empty() ? context.model.names.front() : out.params.model;
  out.parsed = context.clock.now();
  if (auto error = add_choices(out, context, *parsed)) return *std::move(error);
  out.tokenized = context.clock.now();
  return out;
}

}  // namespace mie::api
