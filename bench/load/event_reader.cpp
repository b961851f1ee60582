#include "bench/load/event_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace mie::bench {
namespace {

using simdjson::SUCCESS;
using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::size_t kUsualBytes =
    std::size_t{64} * 1024;  // an event with the ids of a long prompt; longer ones make the parser grow
constexpr std::size_t kUsualIds = 4096;
constexpr double kNanoseconds = 1e6;  // in a millisecond

EventFacts fault(EventFacts::Kind kind, std::string_view what) { return {.kind = kind, .error = what}; }

// The member, unless it is absent or null.
std::optional<element> member(const object& of, std::string_view name) {
  element found;
  if (of.at_key(name).get(found) != SUCCESS || found.is_null()) return {};
  return found;
}

// Nothing of another type: false. Absent: true, `out` as it was.
bool read_text(const object& of, std::string_view name, std::string_view& out) {
  const auto found = member(of, name);
  return !found || found->get(out) == SUCCESS;
}

bool read_count(const object& of, std::string_view name, std::optional<int>& out) {
  const auto found = member(of, name);
  if (!found) return true;
  std::int64_t value = 0;
  if (found->get(value) != SUCCESS || value < 0 || value > std::numeric_limits<int>::max()) return false;
  out = static_cast<int>(value);
  return true;
}

ServerTimes server_times(const object& timings, std::int64_t accepted_ns) {
  ServerTimes out{.accepted_ns = accepted_ns};
  for (std::size_t i = 0; i < kServerStamps.size(); ++i) {
    const auto found = member(timings, std::string(kServerStamps[i]) + "_ms");
    double ms = 0;
    if (found && found->get(ms) == SUCCESS) out.stamps[i] = std::llround(ms * kNanoseconds);
  }
  const auto count = [&timings](std::string_view name, int& into) {
    std::optional<int> value;
    if (read_count(timings, name, value)) into = value.value_or(0);
  };
  count("steps", out.steps);
  count("prefill_tokens", out.prefill_tokens);
  count("cached_tokens", out.cached_tokens);
  count("preemptions", out.preemptions);
  count("max_batch", out.max_batch);
  return out;
}

// Ours, or llama.cpp's running count, where it was asked for with `timings_per_token`.
bool read_timings(const object& root, EventFacts& out) {
  const auto found = member(root, "timings");
  if (!found) return true;
  object timings;
  if (found->get(timings) != SUCCESS) return false;
  std::int64_t accepted_ns = 0;
  const auto accepted = member(timings, "accepted_ns");
  if (!accepted) return out.completion_tokens || read_count(timings, "predicted_n", out.completion_tokens);
  if (accepted->get(accepted_ns) != SUCCESS) return false;
  out.server = server_times(timings, accepted_ns);
  return true;
}

bool read_usage(const object& root, EventFacts& out) {
  const auto found = member(root, "usage");
  if (!found) return true;
  object usage, details;
  if (found->get(usage) != SUCCESS) return false;
  if (!read_count(usage, "completion_tokens", out.completion_tokens)) return false;
  if (!read_count(usage, "prompt_tokens", out.prompt_tokens)) return false;
  const auto more = member(usage, "prompt_tokens_details");
  return !more || (more->get(details) == SUCCESS && read_count(details, "cached_tokens", out.cached_tokens));
}

}  // namespace

EventReader::EventReader() {
  if (parser_.allocate(kUsualBytes) != SUCCESS) throw std::bad_alloc();
  const std::string blank(kUsualBytes, ' ');  // its copy of a text takes memory at the first one
  static_cast<void>(parser_.parse(blank.data(), blank.size(), true).error());
  token_ids_.reserve(kUsualIds);
}

EventFacts EventReader::read(std::string_view json) {
  token_ids_.clear();
  element text;
  object root;
  if (parser_.parse(json.data(), json.size(), true).get(text) != SUCCESS)
    return fault(EventFacts::Kind::kBadJson, "an event that is not JSON");
  if (text.get(root) != SUCCESS) return fault(EventFacts::Kind::kBadContent, "an event that is not an object");
  EventFacts out;
  if (read_error(root, out)) return out;
  if (!read_choices(root, out)) return fault(EventFacts::Kind::kBadContent, "choices of wrong types");
  if (!read_usage(root, out) || !read_timings(root, out)) return fault(EventFacts::Kind::kBadContent, "usage of wrong types");
  return out;
}

bool EventReader::read_error(const Object& root, EventFacts& out) {
  std::string_view object_name;
  const auto error = member(root, "error");
  const bool is_error = read_text(root, "object", object_name) && object_name == "error";  // vLLM's older shape
  if (!error && !is_error) return false;
  out.kind = EventFacts::Kind::kError;
  out.error = "an error without a message";
  object members = root;
  if (!error || error->get(members) == SUCCESS) {
    read_text(members, "message", out.error);
    read_text(members, "code", out.error_code);
  } else {
    static_cast<void>(error->get(out.error));
  }
  return true;
}

bool EventReader::read_choices(const Object& root, EventFacts& out) {
  const auto found = member(root, "choices");
  array choices;
  if (!found || found->get(choices) != SUCCESS) return false;
  for (const auto item : choices) {  // one is asked for
    object choice;
    if (item.get(choice) != SUCCESS || !read_choice(choice, out)) return false;
    out.has_choice = true;
  }
  return true;
}

bool EventReader::read_choice(const Object& choice, EventFacts& out) {
  std::string_view role;
  const auto delta = member(choice, "delta"), message = member(choice, "message"), text = member(choice, "text");
  if (!read_text(choice, "finish_reason", out.finish_reason)) return false;
  bool has_text = text.has_value();
  if (const auto& nested = delta ? delta : message) {
    object inner;
    if (nested->get(inner) != SUCCESS || !read_text(inner, "content", out.text) || !read_text(inner, "role", role))
      return false;
    has_text = member(inner, "content").has_value();
    std::string_view thought;
    if (!read_text(inner, "reasoning_content", thought)) return false;
    if (out.text.empty()) out.text = thought;
  } else if (!read_text(choice, "text", out.text)) {
    return false;
  }
  out.carries_text = !out.text.empty() || (has_text && role.empty() && out.finish_reason.empty());
  return read_token_ids(choice, out);
}

bool EventReader::read_token_ids(const Object& choice, EventFacts& out) {
  const auto found = member(choice, "token_ids");
  if (!found) return true;
  array ids;
  if (found->get(ids) != SUCCESS) return false;
  for (const auto item : ids) {
    std::int64_t id = 0;
    if (item.get(id) != SUCCESS || id < 0 || id > std::numeric_limits<std::int32_t>::max()) return false;
    token_ids_.emplace_back(static_cast<std::int32_t>(id));
  }
  out.n_token_ids = token_ids_.size();
  return true;
}

int TokenCount::add(const EventFacts& event) {
  int tokens = 0;
  if (event.n_token_ids) {
    source_ = TokenSource::kTokenIds;
    tokens = static_cast<int>(*event.n_token_ids);
  } else if (source_ != TokenSource::kTokenIds && event.has_choice && event.completion_tokens) {
    source_ = TokenSource::kUsage;
    tokens = std::max(*event.completion_tokens - usage_, 0);
    usage_ = std::max(usage_, *event.completion_tokens);
  } else if (event.carries_text && (source_ == TokenSource::kNone || source_ == TokenSource::kOnePerEvent)) {
    source_ = TokenSource::kOnePerEvent;
    tokens = 1;
  }
  sum_ += tokens;
  return tokens;
}

}  // namespace mie::bench
