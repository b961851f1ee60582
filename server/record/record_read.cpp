#include "server/json/json_lines.h"
#include "server/record/record_lines.h"
#include "server/record/record_words.h"

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace mie {
namespace {

using json::FieldReader;
using json::IntegerRange;
using json::RequestDocument;

constexpr std::int64_t kMaxInt = std::numeric_limits<int>::max();
constexpr IntegerRange kCount = {.min = 0, .max = kMaxInt};
constexpr int kMostLogprobs = 1024;  // as --max-logprobs

Error bad(std::string message) { return {Errc::kConfig, std::move(message), ""}; }

int count(FieldReader& fields, std::string_view name) { return static_cast<int>(fields.required_integer(name, kCount)); }

Clock::duration time_of(FieldReader& fields, std::string_view name) {
  return Clock::duration(fields.required_integer(name, {}));
}

double real(FieldReader& fields, std::string_view name) {
  const auto value = fields.number(name);
  if (!value && !fields.failed()) fields.missing(name);
  return value.value_or(0);
}

std::string word(FieldReader& fields, std::string_view name) {
  auto text = fields.string(name);
  if (!text && !fields.failed()) fields.missing(name);
  return std::move(text).value_or("");
}

std::vector<TokenId> ids(FieldReader& fields, std::string_view name, int n_vocab) {
  std::vector<TokenId> out;
  const auto list = fields.list(name);
  if (!list && !fields.failed()) fields.missing(name);
  if (!list) return out;
  for (const auto item : *list) {
    const auto id = fields.integer_at(item, fields.path_of(name), {.min = 0, .max = n_vocab - 1});
    if (!id) return out;
    out.emplace_back(static_cast<std::int32_t>(*id));
  }
  return out;
}

std::vector<LogitBias> biases(FieldReader& fields) {
  std::vector<LogitBias> out;
  const auto list = fields.list("logit_bias");
  if (!list) return out;
  for (const auto item : *list) {
    simdjson::dom::array pair;
    if (item.get(pair) != simdjson::SUCCESS || pair.size() != 2) {
      fields.fail(bad("logit_bias must hold pairs"));
      return out;
    }
    const auto token = fields.integer_at(*pair.begin(), "logit_bias", {.min = 0, .max = kMaxInt});
    const auto bias = fields.number_at(*++pair.begin(), "logit_bias");
    if (!token || !bias) return out;
    out.push_back({TokenId(static_cast<std::int32_t>(*token)), static_cast<float>(*bias)});
  }
  return out;
}

Result<SamplingParams> read_sampling(FieldReader& fields, int n_vocab) {
  SamplingParams::Raw raw;
  raw.temperature = real(fields, "temperature");
  raw.top_p = real(fields, "top_p");
  raw.top_k = fields.required_integer("top_k", {});
  raw.min_p = real(fields, "min_p");
  raw.presence_penalty = real(fields, "presence_penalty");
  raw.frequency_penalty = real(fields, "frequency_penalty");
  raw.repetition_penalty = real(fields, "repetition_penalty");
  raw.seed = static_cast<std::uint64_t>(fields.required_integer("seed", {.min = 0}));
  raw.n_top_logprobs = static_cast<std::int32_t>(fields.required_integer("n_top_logprobs", {.min = -1, .max = kMostLogprobs}));
  raw.logit_bias = biases(fields);
  if (fields.failed()) return fields.fault();
  return SamplingParams::from(raw, n_vocab, kMostLogprobs);
}

std::optional<Error> read_request(const RequestDocument& document, FieldReader& fields, RecordEvent& event, int n_vocab) {
  Request request;
  request.id = event.id;
  request.arrival = Clock::time_point(time_of(fields, "arrival_ns"));
  request.prompt = ids(fields, "prompt", n_vocab);
  if (!fields.failed() && request.prompt.empty()) return bad("prompt is empty");
  const auto sampling = fields.object("sampling");
  if (!sampling) return fields.failed() ? fields.fault() : bad("sampling is missing");
  FieldReader sampling_fields(document, *sampling, "sampling");
  auto params = read_sampling(sampling_fields, n_vocab);
  if (params.has_error()) return params.error();
  request.sampling = *std::move(params);
  request.stop_ids = ids(fields, "stop_ids", n_vocab);
  if (const auto n = fields.integer("n_prompt_logprobs", {.min = 0, .max = kMostLogprobs}))
    request.n_prompt_logprobs = static_cast<int>(*n);
  request.max_tokens =
      static_cast<int>(fields.required_integer("max_tokens", {.min = request.least_max_tokens(), .max = kMaxInt}));
  request.min_tokens = count(fields, "min_tokens");
  if (const auto at = fields.integer("deadline_ns")) request.deadline = Clock::time_point(Clock::duration(*at));
  request.priority = static_cast<int>(fields.integer("priority", {.min = -kMaxInt, .max = kMaxInt}).value_or(0));
  request.cache_salt = fields.string("cache_salt").value_or("");
  request.choice = count(fields, "choice");
  request.n_choices =
      static_cast<int>(fields.required_integer("n_choices", {.min = request.choice + std::int64_t{1}, .max = kMaxInt}));
  event.request = std::make_shared<const Request>(std::move(request));
  return {};
}

std::optional<Error> read_digest(FieldReader& fields, RecordEvent& event) {
  const std::string text = word(fields, "plan");
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, event.digest, 16);
  if (!fields.failed() && (read.ec != std::errc{} || read.ptr != end)) return bad("plan must be a hexadecimal number");
  return {};
}

std::optional<Error> read_ended(FieldReader& fields, RecordEvent& event, int n_vocab) {
  const auto reason = meaning_in(kReasonWords, word(fields, "reason"));
  event.tokens = ids(fields, "tokens", n_vocab);
  if (!fields.failed() && !reason) return bad("reason is not one of the words for it");
  event.reason = reason.value_or(FinishReason::kError);
  return {};
}

std::optional<Error> read_released(FieldReader& fields, RecordEvent& event) {
  const auto outcome = meaning_in(kOutcomeWords, word(fields, "outcome"));
  event.n_delivered = count(fields, "n_delivered");
  if (!fields.failed() && !outcome) return bad("outcome is not one of the words for it");
  event.outcome = outcome.value_or(Outcome::kError);
  return {};
}

std::optional<Error> read_event(const RequestDocument& document, FieldReader& fields, Record& record) {
  using Kind = RecordEvent::Kind;
  const std::string name = word(fields, "event");
  if (name == "gap") return bad("events are missing: the recording ran out of memory");
  const auto kind = meaning_in(kKindWords, name);
  if (!kind) return bad("event is not one of the words for it");
  RecordEvent event{.kind = *kind, .step = fields.required_integer("step", {.min = 0})};
  const bool asked = *kind == Kind::kTaken || *kind == Kind::kReleased;
  if (asked || *kind == Kind::kEnded)
    event.id = RequestId(static_cast<std::uint64_t>(fields.required_integer("id", {.min = 0})));
  if (asked || *kind == Kind::kPlanned) event.at = time_of(fields, "at_ns");
  std::optional<Error> error;
  if (*kind == Kind::kTaken) error = read_request(document, fields, event, record.header.n_vocab);
  if (*kind == Kind::kReleased) error = read_released(fields, event);
  if (*kind == Kind::kEnded) error = read_ended(fields, event, record.header.n_vocab);
  if (*kind == Kind::kPlanned) error = read_digest(fields, event);
  if (*kind == Kind::kCommitted) event.run = time_of(fields, "run_ns");
  record.events.push_back(std::move(event));
  return error;
}

std::optional<Error> read_header(FieldReader& fields, RecordHeader& header) {
  if (fields.required_integer("mie_record", {.min = 1}) != 1) return bad("not a file of --record");
  header.version = word(fields, "version");
  header.commit = word(fields, "commit");
  header.model_name = word(fields, "model");
  header.fingerprint = word(fields, "fingerprint");
  header.n_vocab = static_cast<int>(fields.required_integer("n_vocab", {.min = 1, .max = kMaxInt}));
  header.n_blocks = static_cast<int>(fields.required_integer("n_blocks", {.min = 1, .max = kMaxInt}));
  header.block_size = static_cast<int>(fields.required_integer("block_size", {.min = 1, .max = kMaxInt}));
  header.row_time = time_of(fields, "row_time_ns");
  const auto settings = fields.object("settings");
  if (!settings) return fields.failed() ? fields.fault() : bad("settings are missing");
  for (const auto& [name, value] : *settings) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) return bad("settings must hold strings");
    header.settings.emplace(name, text);
  }
  return {};
}

}  // namespace

Result<Record> read_record(std::istream& in) {
  Record record;
  const auto error =
      json::read_json_lines(in, "--record", [&](const RequestDocument& document, FieldReader& fields, bool first) {
        return first ? read_header(fields, record.header) : read_event(document, fields, record);
      });
  if (error) return *error;
  return record;
}

}  // namespace mie
