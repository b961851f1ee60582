// Chat messages: shape checks, and their form as the template sees them.
#include "server/api/generation_params.h"

#include <algorithm>
#include <array>

namespace mie::api {
namespace {

using jinja::Value;
using json::FieldReader;
using json::RequestDocument;
using simdjson::dom::element;
using Type = simdjson::dom::element_type;
using Members = std::vector<std::pair<std::string, Value>>;

struct MessageSource {
  const RequestDocument& document;
  std::string path;  // "messages[0]"
};

std::optional<std::string> read_role(FieldReader& in) {
  static constexpr std::array<std::string_view, 5> kRoles = {"system", "developer", "user", "assistant", "tool"};
  const auto role = in.string("role");
  if (!role) {
    in.missing("role");
    return {};
  }
  if (std::find(kRoles.begin(), kRoles.end(), *role) == kRoles.end()) {
    in.wrong_value(in.path_of("role"), "system, developer, user, assistant or tool", json::shown(*role));
    return {};
  }
  return *role == "developer" ? "system" : *role;
}

std::optional<std::string> text_part(FieldReader& in, const MessageSource& source, const element& part,
                                     const std::string& path) {
  if (!part.is_object()) return in.wrong_type(path, "an object"), std::nullopt;
  FieldReader fields(source.document, simdjson::dom::object(part), path);
  const auto type = fields.string("type");
  if (!type) fields.missing("type");
  if (type && *type != "text") {
    fields.fail({Errc::kUnsupportedValue, path + ".type asks for content other than text, which this server does not offer",
                 path + ".type"});
  }
  auto text = fields.string("text");
  if (!text) fields.missing("text");
  if (fields.failed()) return in.fail(fields.fault()), std::nullopt;
  return text;
}

// String, or a list of text parts joined with nothing between.
std::optional<std::string> read_content(FieldReader& in, const MessageSource& source, const element& content) {
  const std::string path = in.path_of("content");
  if (content.is_string()) return std::string(std::string_view(content));
  if (!content.is_array()) return in.wrong_type(path, "a string or a list of content parts"), std::nullopt;
  const simdjson::dom::array parts(content);
  if (parts.size() == 0) return in.wrong_value(path, "a string or at least one part", "an empty list"), std::nullopt;
  std::string joined;
  std::size_t index = 0;
  for (const element part : parts) {
    const auto text = text_part(in, source, part, json::item_path(path, index++));
    if (!text) return {};
    joined += *text;
  }
  return joined;
}

// Arguments that are a JSON object in text reach the template as an object, key order kept; anything else as it came.
Value call_arguments(const element& arguments) {
  if (!arguments.is_string()) return to_template_value(arguments);
  const std::string text(std::string_view{arguments});
  const auto parsed = RequestDocument::parse(text);
  if (parsed.has_error()) return Value::input(text);
  Members members;
  for (const auto field : parsed->root()) members.emplace_back(std::string(field.key), to_template_value(field.value));
  return Value::dict(std::move(members));
}

std::optional<Value> read_tool_call(FieldReader& in, const MessageSource& source, const element& call,
                                    const std::string& path) {
  if (!call.is_object()) return in.wrong_type(path, "an object"), std::nullopt;
  FieldReader fields(source.document, simdjson::dom::object(call), path);
  const auto id = fields.string("id");
  const auto type = fields.string("type");
  const auto function = fields.object("function");
  if (!function) fields.missing("function");
  if (fields.failed()) return in.fail(fields.fault()), std::nullopt;
  FieldReader target(source.document, *function, path + ".function");
  const auto name = target.string("name");
  if (!name) target.missing("name");
  if (target.failed()) return in.fail(target.fault()), std::nullopt;
  Members callee = {{"name", Value::input(*name)}};
  if (const auto arguments = target.find("arguments")) callee.emplace_back("arguments", call_arguments(*arguments));
  Members members;
  if (id) members.emplace_back("id", Value::input(*id));
  members.emplace_back("type", Value::input(type.value_or("function")));
  members.emplace_back("function", Value::dict(std::move(callee)));
  return Value::dict(std::move(members));
}

std::optional<Value> read_tool_calls(FieldReader& in, const MessageSource& source) {
  const auto list = in.list("tool_calls");
  if (!list || list->size() == 0) return {};
  std::vector<Value> calls;
  for (const element call : *list) {
    auto read = read_tool_call(in, source, call, json::item_path(in.path_of("tool_calls"), calls.size()));
    if (!read) return {};
    calls.push_back(*std::move(read));
  }
  return Value::list(std::move(calls));
}

void read_tool_members(FieldReader& in, const MessageSource& source, const std::string& role, Members& members) {
  if (role == "assistant") {
    if (auto calls = read_tool_calls(in, source)) members.emplace_back("tool_calls", *std::move(calls));
  } else if (role == "tool") {
    const auto id = in.string("tool_call_id");
    if (!id) return in.missing("tool_call_id");
    members.emplace_back("tool_call_id", Value::input(*id));
  }
}

Value read_message(FieldReader& in, const MessageSource& source, std::string& role_out) {
  const auto role = read_role(in);
  if (!role) return {};
  role_out = *role;
  Members tool_members;
  const auto content = in.find("content");
  std::optional<std::string> text;
  if (content) text = read_content(in, source, *content);
  read_tool_members(in, source, *role, tool_members);
  const bool calls_tools = *role == "assistant" && !tool_members.empty();
  if (!content && !calls_tools) in.missing("content");
  if (in.failed()) return {};
  Members members = {{"role", Value::text(*role)}, {"content", text ? Value::input(*std::move(text)) : Value::none()}};
  for (const char* name : {"name", "reasoning_content"}) {
    if (const auto other = in.find(name)) members.emplace_back(name, to_template_value(*other));
  }
  for (auto& member : tool_members) members.push_back(std::move(member));
  return Value::dict(std::move(members));
}

}  // namespace

// Recursion is bounded by the document's nesting.
Value to_template_value(const element& value) {
  switch (value.type()) {
    case Type::NULL_VALUE:
      return Value::none();
    case Type::BOOL:
      return Value::boolean(bool(value));
    case Type::INT64:
      return Value::integer(std::int64_t(value));
    case Type::UINT64:
    case Type::DOUBLE:
      return Value::real(double(value));
    case Type::STRING:
      return Value::input(std::string(std::string_view(value)));
    case Type::ARRAY:
      break;
    case Type::OBJECT: {
      Members members;
      for (const auto field : simdjson::dom::object(value)) {
        members.emplace_back(std::string(field.key), to_template_value(field.value));
      }
      return Value::dict(std::move(members));
    }
  }
  std::vector<Value> items;
  for (const element item : simdjson::dom::array(value)) items.push_back(to_template_value(item));
  return Value::list(std::move(items));
}

void read_messages(const RequestDocument& document, FieldReader& in, GenerationBody& body) {
  const auto list = in.list("messages");
  if (!list) return;
  std::vector<Value> messages;
  std::string role;
  for (const element item : *list) {
    const std::string path = json::item_path("messages", messages.size());
    if (!item.is_object()) return in.wrong_type(path, "an object");
    FieldReader fields(document, simdjson::dom::object(item), path);
    messages.push_back(read_message(fields, {document, path}, role));
    if (fields.failed()) return in.fail(fields.fault());
  }
  body.messages = Value::list(std::move(messages));
  body.ends_with_assistant = role == "assistant";
  if (body.params.continue_final_message && !body.ends_with_assistant) {
    in.wrong_value("continue_final_message", "false unless the last message is the assistant's", "true");
  }
}

}  // namespace mie::api
