#include "server/json/request_parse.h"

#include "server/json/fault_finder.h"

#include <algorithm>
#include <optional>

namespace mie::json {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMaxKeyShown = 64;
using Fault = std::optional<Error>;

// Puts where a fault was found in front of its path, on the way back up.
Fault within(Fault fault, std::string_view step) {
  if (!fault) return fault;
  std::string& path = fault->param;
  path = std::string(step) + (path.empty() || path.front() == '[' ? "" : ".") + path;
  return fault;
}

Fault check(const dom::element& element, int depth);

Fault check_string(std::string_view text) {
  if (text.size() <= kMaxStringBytes) return {};
  return Error{Errc::kInvalidValue, "a string must be at most 8388608 bytes, got " + std::to_string(text.size()), ""};
}

Fault check_object(const dom::object& object, int depth) {
  std::vector<std::string_view> keys;
  for (const auto field : object) {
    keys.push_back(field.key);
    if (auto fault = check_string(field.key)) return fault;
    if (auto fault = check(field.value, depth)) return within(std::move(fault), member_path("", field.key));
  }
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice == keys.end()) return {};
  return Error{Errc::kDuplicateKey, "request body has the same key twice in one object", member_path("", *twice)};
}

// Recursion is bounded: kMaxDepth is checked on the way down.
Fault check(const dom::element& element, int depth) {
  switch (element.type()) {
    case dom::element_type::STRING:
      return check_string(std::string_view(element));
    case dom::element_type::OBJECT:
    case dom::element_type::ARRAY:
      break;
    default:
      return {};
  }
  if (depth == kMaxDepth) {
    return Error{Errc::kTooDeep, "request body nests deeper than " + std::to_string(kMaxDepth) + " levels", ""};
  }
  if (element.type() == dom::element_type::OBJECT) return check_object(dom::object(element), depth + 1);
  std::size_t index = 0;
  for (const dom::element item : dom::array(element)) {
    if (auto fault = check(item, depth + 1)) return within(std::move(fault), item_path("", index));
    ++index;
  }
  return {};
}

// Parses in place. simdjson may read past the end, so the string gets its padding as spare capacity.
simdjson::error_code parse_into(dom::parser& parser, std::string& text, dom::element& root) {
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  constexpr bool kCopy = false;
  return parser.parse(text.data(), text.size(), kCopy).get(root);
}

}  // namespace

std::string member_path(std::string_view parent, std::string_view key) {
  std::string path(parent);
  if (!parent.empty()) path += '.';
  for (const char c : key.substr(0, kMaxKeyShown)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    path += plain ? c : '?';
  }
  return path;
}

std::string item_path(std::string_view parent, std::size_t index) {
  return std::string(parent) + '[' + std::to_string(index) + ']';
}

Error not_json(std::string_view reason, std::size_t byte) {
  return {Errc::kInvalidJson, "request body is not a JSON object: " + std::string(reason) + " at byte " + std::to_string(byte),
          ""};
}

Result<RequestDocument> RequestDocument::parse(std::string body) {
  if (body.starts_with("\xEF\xBB\xBF")) return not_json("it has a byte order mark", 0);
  RequestDocument document;
  document.parser_ = std::make_unique<dom::parser>();
  dom::element root;
  auto refused = parse_into(*document.parser_, body, root);
  if (refused == simdjson::UTF8_ERROR) return Error{Errc::kInvalidUtf8, "request body is not valid UTF-8", ""};
  if (refused != simdjson::SUCCESS) {
    auto rewritten = find_fault(body);
    if (rewritten.has_error()) return rewritten.error();
    document.oversized_integers_ = std::move(rewritten->paths);
    refused = parse_into(*document.parser_, rewritten->text, root);
    if (refused != simdjson::SUCCESS) return not_json(simdjson::error_message(refused), 0);
  }
  if (root.get(document.root_) != simdjson::SUCCESS) return not_json("it does not begin with '{'", 0);
  if (auto fault = check(root, 0)) return *std::move(fault);
  return document;
}

bool RequestDocument::is_oversized_integer(std::string_view path) const {
  return std::find(oversized_integers_.begin(), oversized_integers_.end(), path) != oversized_integers_.end();
}

}  // namespace mie::json
