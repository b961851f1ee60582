#include "bench/selftest/asked_request.h"

#include <algorithm>
#include <charconv>

namespace mie::bench {
namespace {

constexpr std::string_view kLength = "\r\nContent-Length: ";

int integer(const simdjson::dom::object& of, const char* name) {
  std::int64_t value = 0;
  static_cast<void>(of.at_key(name).get(value));
  return static_cast<int>(value);
}

bool flag(const simdjson::dom::object& of, const char* name) {
  bool value = false;
  static_cast<void>(of.at_key(name).get(value));
  return value;
}

int n_words(std::string_view text) { return 1 + static_cast<int>(std::count(text.begin(), text.end(), ' ')); }

int prompt_tokens(const simdjson::dom::object& root) {
  simdjson::dom::array ids, messages;
  std::string_view text;
  if (root.at_key("prompt").get(ids) == simdjson::SUCCESS) return static_cast<int>(ids.size());
  if (root.at_key("prompt").get(text) == simdjson::SUCCESS) return n_words(text);
  int sum = 0;
  if (root.at_key("messages").get(messages) != simdjson::SUCCESS) return 0;
  for (const auto message : messages)
    if (message.at_key("content").get(text) == simdjson::SUCCESS) sum += n_words(text);
  return sum;
}

}  // namespace

std::optional<WholeRequest> whole_request(std::string_view bytes) {
  const auto end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return {};
  const std::string_view head = bytes.substr(0, end);
  std::size_t length = 0;
  if (const auto at = head.find(kLength); at != std::string_view::npos)
    std::from_chars(head.data() + at + kLength.size(), head.data() + head.size(), length);
  WholeRequest out{.target = {}, .body = {}, .size = end + 4 + length};
  if (bytes.size() < out.size) return {};
  const auto from = head.find(' ') + 1;
  out.target = head.substr(from, head.find(' ', from) - from);
  out.body = bytes.substr(end + 4, length);
  return out;
}

AskedRequest asked_of(const WholeRequest& request, simdjson::dom::parser& parser) {
  AskedRequest out{.chat = request.target.ends_with("/chat/completions")};
  simdjson::dom::object root, options;
  if (parser.parse(request.body.data(), request.body.size(), true).get(root) != simdjson::SUCCESS) return out;
  std::int64_t seed = 0;
  static_cast<void>(root.at_key("seed").get(seed));
  out.seed = static_cast<std::uint64_t>(seed);
  out.prompt_tokens = prompt_tokens(root);
  out.max_tokens = integer(root, "max_tokens");
  out.stream = flag(root, "stream");
  out.token_ids = flag(root, "return_token_ids");
  if (root.at_key("stream_options").get(options) == simdjson::SUCCESS) {
    out.include_usage = flag(options, "include_usage");
    out.continuous_usage = flag(options, "continuous_usage_stats");
  }
  return out;
}

}  // namespace mie::bench
