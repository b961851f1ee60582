// The sampling fields. Their ranges live in SamplingParams::from; here are their types and the fields that are not its.
#include "server/api/generation_params.h"

#include <charconv>

namespace mie::api {
namespace {

using json::FieldReader;

constexpr std::size_t kMaxStops = 16;
constexpr std::size_t kMaxStopBytes = 1024;
constexpr std::size_t kMaxStopIds = 64;
constexpr std::size_t kMaxBiasEntries = 1024;

// Decimal without sign or leading zero, as JSON writes an integer.
std::optional<std::int64_t> decimal(std::string_view text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool canonical = text == "0" || (!text.empty() && text.front() >= '1' && text.front() <= '9');
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || !canonical) return {};
  return value;
}

void read_logit_bias(FieldReader& in, const ParamLimits& limits, SamplingParams::Raw& raw) {
  const auto biases = in.object("logit_bias");
  if (!biases) return;
  if (biases->size() > kMaxBiasEntries) {
    return in.wrong_value("logit_bias", "at most 1024 entries", std::to_string(biases->size()));
  }
  for (const auto field : *biases) {
    const std::string path = json::member_path("logit_bias", field.key);
    const auto id = decimal(field.key);
    if (!id || *id >= limits.n_vocab) {
      return in.wrong_value(path, "for a token id between 0 and " + std::to_string(limits.n_vocab - 1), json::shown(field.key));
    }
    const auto bias = in.number_at(field.value, path);
    if (!bias) return;
    if (!(*bias >= -100 && *bias <= 100)) return in.wrong_value(path, "between -100 and 100", json::shown(field.value));
    raw.logit_bias.push_back({TokenId(static_cast<std::int32_t>(*id)), static_cast<float>(*bias)});
  }
}

void read_seed(FieldReader& in, GenerationParams& params) {
  const auto seed = in.integer("seed", {0, std::numeric_limits<std::int64_t>::max()});
  params.has_seed = seed.has_value();
  params.sampling.seed = static_cast<std::uint64_t>(seed.value_or(0));
}

void add_stop(FieldReader& in, const simdjson::dom::element& item, const std::string& path, GenerationParams& params) {
  auto text = in.string_at(item, path);
  if (!text) return;
  if (text->empty() || text->size() > kMaxStopBytes) {
    return in.wrong_value(path, "between 1 and 1024 bytes", std::to_string(text->size()) + " bytes");
  }
  params.stops.push_back(*std::move(text));
}

void read_stop(FieldReader& in, GenerationParams& params) {
  const auto stop = in.find("stop");
  if (!stop || in.failed()) return;
  if (stop->is_string()) return add_stop(in, *stop, "stop", params);
  if (!stop->is_array()) return in.wrong_type("stop", "a string or a list of strings");
  const simdjson::dom::array list(*stop);
  if (list.size() > kMaxStops) return in.wrong_value("stop", "at most 16 strings", std::to_string(list.size()));
  std::size_t index = 0;
  for (const simdjson::dom::element item : list) add_stop(in, item, json::item_path("stop", index++), params);
}

void read_stop_ids(FieldReader& in, const ParamLimits& limits, GenerationParams& params) {
  const auto list = in.list("stop_token_ids");
  if (!list) return;
  if (list->size() > kMaxStopIds) return in.wrong_value("stop_token_ids", "at most 64 ids", std::to_string(list->size()));
  for (const simdjson::dom::element item : *list) {
    const std::string path = json::item_path("stop_token_ids", params.stop_token_ids.size());
    const auto id = in.integer_at(item, path, {0, limits.n_vocab - 1});
    if (!id) return;
    params.stop_token_ids.emplace_back(static_cast<std::int32_t>(*id));
  }
}

// The numbers of SamplingParams, in table order. After a fault the rest keep their defaults, so that a range fault of an
// earlier field, found by from(), goes first.
void read_numbers(FieldReader& in, SamplingParams::Raw& raw) {
  raw.temperature = in.number("temperature").value_or(raw.temperature);
  raw.top_p = in.number("top_p").value_or(raw.top_p);
  raw.top_k = in.integer("top_k").value_or(raw.top_k);
  raw.min_p = in.number("min_p").value_or(raw.min_p);
  raw.presence_penalty = in.number("presence_penalty").value_or(raw.presence_penalty);
  raw.frequency_penalty = in.number("frequency_penalty").value_or(raw.frequency_penalty);
  raw.repetition_penalty = in.number("repetition_penalty").value_or(raw.repetition_penalty);
}

}  // namespace

void read_sampling(FieldReader& in, const ParamLimits& limits, GenerationParams& params) {
  if (in.failed()) return;
  read_numbers(in, params.sampling);
  const auto checked = SamplingParams::from(params.sampling, limits.n_vocab, limits.max_logprobs);
  if (checked.has_error()) return in.replace_fault(checked.error());
  read_logit_bias(in, limits, params.sampling);
  read_seed(in, params);
  read_stop(in, params);
  read_stop_ids(in, limits, params);
  params.include_stop = in.boolean("include_stop_str_in_output").value_or(false);
  params.ignore_eos = in.boolean("ignore_eos").value_or(false);
  params.skip_special = in.boolean("skip_special_tokens").value_or(true);
  (void)in.boolean("spaces_between_special_tokens");  // accepted, no effect
}

}  // namespace mie::api
