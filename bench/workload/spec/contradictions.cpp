#include "bench/workload/spec/contradictions.h"

#include "bench/workload/draw/drawn_law.h"

#include <algorithm>
#include <cmath>

namespace mie::bench {
namespace {

using Found = std::optional<Fields::Fault>;

Found stop_rule(const WorkloadSpec& spec) {
  const RequestsSpec& requests = spec.requests;
  const int given =
      int{requests.count.has_value()} + int{requests.duration_s.has_value()} + int{requests.precision.has_value()};
  if (given != 1) return {{"requests", "needs exactly one of count, duration_s and precision"}};
  const bool several = !spec.arms.empty() || spec.repetitions.n > 1 || spec.repetitions.retries > 0 || spec.sessions;
  if (requests.precision && several)
    return {{"requests.precision", "is of one load, whose rounds are its repetitions: neither arms, repetitions nor sessions"}};
  const bool endless = spec.arrival.law == ArrivalLaw::kBurst && !requests.count;
  if (endless) return {{"arrival.law", "burst needs requests.count: all arrive at once"}};
  if (spec.prefix.kind == PrefixKind::kGroups && requests.count && !spec.sessions &&
      *requests.count % spec.prefix.prompts_per_group != 0)
    return {{"prefix.prompts_per_group", "must divide requests.count"}};
  return {};
}

Found prompts(const WorkloadSpec& spec) {
  const PromptSpec& prompt = spec.prompt;
  if (spec.target.endpoint == Endpoint::kChat && prompt.form == PromptForm::kTokens)
    return {{"target.endpoint", "chat takes text: prompt.form must be text"}};
  if (prompt.content.unique_salt && spec.prefix.kind != PrefixKind::kNone)
    return {{"prompt.content.unique_salt", "would end every prefix at its first token"}};
  if (prompt.source == PromptSource::kFile && (spec.prefix.kind != PrefixKind::kNone || spec.sessions))
    return {{"prompt.source", "file has whole prompts: neither prefix nor sessions"}};
  if (spec.prefix.kind == PrefixKind::kTree && spec.prefix.hash_ids.empty() && prompt.source != PromptSource::kTrace)
    return {{"prefix.hash_ids", "must be given unless prompt.source is trace"}};
  if (prompt.form == PromptForm::kText && spec.prefix.kind == PrefixKind::kTree)
    return {{"prefix.kind", "tree needs prompt.form tokens"}};
  return {};
}

Found traces(const WorkloadSpec& spec) {
  const auto drawn_from_trace = [](const std::optional<LengthSpec>& length) {
    return length && length->law == LengthLaw::kTrace;
  };
  const bool has_trace = spec.prompt.source == PromptSource::kTrace;
  if (drawn_from_trace(spec.prompt.length) && !has_trace) return {{"prompt.length", "trace needs prompt.source trace"}};
  if (drawn_from_trace(spec.output.length) && !has_trace) return {{"output.length", "trace needs prompt.source trace"}};
  if (!spec.output.length && spec.prompt.source != PromptSource::kFile) return {{"output.length", "must be given"}};
  const bool drawn = spec.prompt.length && !drawn_from_trace(spec.prompt.length) && spec.output.length &&
                     !drawn_from_trace(spec.output.length);
  if (spec.output.rho != 0 && !drawn) return {{"output.rho", "needs two lengths that are drawn"}};
  return {};
}

// Random.choice and Random.randint are all that the seed's generator knows.
Found python_length(const std::optional<LengthSpec>& length, const char* path) {
  if (!length) return {{path, "must be given with compat python"}};
  const bool known =
      length->law == LengthLaw::kFixed || length->law == LengthLaw::kUniform || length->law == LengthLaw::kEmpirical;
  if (!known) return {{path, "must be fixed, uniform or empirical with compat python"}};
  if (!length->weights.empty()) return {{path, "has no weights with compat python"}};
  const auto whole = [](double value) { return value >= 1 && value <= 1e9 && value == std::floor(value); };
  const std::vector<double> values = length->law == LengthLaw::kFixed     ? std::vector{length->value}
                                     : length->law == LengthLaw::kUniform ? std::vector{*length->min, *length->max}
                                                                          : length->values;
  if (!std::ranges::all_of(values, whole)) return {{path, "must be of whole numbers from 1 with compat python"}};
  if (length->law != LengthLaw::kUniform && (length->min || length->max)) return {{path, "is not cut with compat python"}};
  return {};
}

Found python(const WorkloadSpec& spec) {
  if (spec.compat == Compat::kNone) return {};
  if (auto found = python_length(spec.prompt.length, "prompt.length")) return found;
  if (auto found = python_length(spec.output.length, "output.length")) return found;
  if (spec.output.rho != 0) return {{"output.rho", "must be 0 with compat python"}};
  return {};
}

Found distribution(const std::optional<LengthSpec>& length, Domain domain, const char* path) {
  if (!length || (length->law == LengthLaw::kTrace && domain == Domain::kTokens)) return {};
  const auto made = DrawnLaw::make(*length, domain);
  if (made.has_error()) return {{path, made.error().message}};
  return {};
}

Found distributions(const WorkloadSpec& spec) {
  if (auto found = distribution(spec.prompt.length, Domain::kTokens, "prompt.length")) return found;
  if (auto found = distribution(spec.output.length, Domain::kTokens, "output.length")) return found;
  if (auto found = distribution(spec.arrival.think_s, Domain::kSeconds, "arrival.think_s")) return found;
  if (!spec.sessions) return {};
  if (spec.sessions->turns.law == LengthLaw::kTrace) return {{"sessions.turns", "is a trace, which is not drawn"}};
  if (auto found = distribution(spec.sessions->turns, Domain::kTokens, "sessions.turns")) return found;
  return distribution(spec.sessions->think_s, Domain::kSeconds, "sessions.think_s");
}

Found names(const WorkloadSpec& spec) {
  if (spec.name.empty()) return {{"name", "must not be empty"}};
  for (std::size_t i = 0; i < spec.arms.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (spec.arms[i].name == spec.arms[j].name) return {{"arms[" + std::to_string(i) + "].name", "is another arm's"}};
    }
  }
  return {};
}

// A repetition is a fresh server or a flushed cache: else it is more of the one before.
Found repetitions(const WorkloadSpec& spec) {
  const bool more_of_the_same = spec.repetitions.server == ServerLife::kKept && spec.repetitions.n > 1;
  if (more_of_the_same && spec.warmup.flush == Flush::kNever)
    return {{"repetitions.server", "kept needs warmup.flush before or between"}};
  return {};
}

}  // namespace

std::optional<Fields::Fault> contradiction(const WorkloadSpec& spec) {
  for (const auto check : {names, stop_rule, prompts, traces, python, distributions, repetitions}) {
    if (auto found = check(spec)) return found;
  }
  return {};
}

}  // namespace mie::bench
