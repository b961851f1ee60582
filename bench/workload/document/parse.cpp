// TOML by toml++, JSON by simdjson's On-Demand front end, which alone knows where a value stands. All of a document is walked,
// so that nothing stays unchecked.
#include "bench/workload/document/value.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace mie::bench {
namespace {

constexpr int kDeepest = 32;

Error bad(std::string_view name, long line, std::string_view what) {
  if (line == 0) return {Errc::kConfig, fmt::format("{}: {}", name, what), ""};
  return {Errc::kConfig, fmt::format("{}:{}: {}", name, line, what), ""};
}

class TomlReader {
 public:
  explicit TomlReader(std::string_view name) : name_(name) {}

  Result<Value> read(const toml::node& node) {
    Value value;
    value.line = static_cast<int>(node.source().begin.line);
    if (const auto flag = node.value_exact<bool>()) {
      value.held = *flag;
    } else if (const auto integer = node.value_exact<std::int64_t>()) {
      value.held = *integer;
    } else if (const auto number = node.value_exact<double>()) {
      value.held = *number;
    } else if (auto text = node.value_exact<std::string>()) {
      value.held = *std::move(text);
    } else if (const toml::array* list = node.as_array()) {
      return read(*list, value.line);
    } else if (const toml::table* table = node.as_table()) {
      return read(*table, value.line);
    } else {
      return bad(name_, value.line, "dates and times are not values here");
    }
    return value;
  }

 private:
  Result<Value> read(const toml::array& list, int line) {
    Value::List items;
    for (const toml::node& node : list) {
      auto item = read(node);
      if (item.has_error()) return item.error();
      items.push_back(std::move(*item));
    }
    return Value{std::move(items), line};
  }

  Result<Value> read(const toml::table& table, int line) {
    Value::Table members;
    for (const auto& [key, node] : table) {
      auto member = read(node);
      if (member.has_error()) return member.error();
      members.emplace(key.str(), std::move(*member));
    }
    return Value{std::move(members), line};
  }

  std::string_view name_;
};

Result<Document> parse_toml(const std::string& text, const std::string& name) {
  try {
    const toml::table table = toml::parse(text);
    auto root = TomlReader(name).read(table);
    if (root.has_error()) return root.error();
    return Document{.name = name, .root = std::move(*root)};
  } catch (const toml::parse_error& error) {
    return bad(name, error.source().begin.line, error.description());
  }
}

class JsonReader {
  using Source = simdjson::ondemand::value;

 public:
  JsonReader(std::string_view name, const char* begin, int line) : name_(name), seen_(begin), line_(line) {}

  Result<Value> read(Source source, int depth) {
    Value value;
    value.line = line_of(source);
    if (depth > kDeepest) return bad(name_, value.line, "is nested too deeply");
    const auto failed = read_held(source, value, depth);
    if (failed) return *failed;
    return value;
  }

 private:
  // REQUIRES: values are asked about in their order.
  int line_of(Source& source) {
    const std::string_view token = source.raw_json_token();
    line_ += static_cast<int>(std::count(seen_, token.data(), '\n'));
    seen_ = token.data();
    return line_;
  }

  std::optional<Error> fault(simdjson::error_code code) { return bad(name_, line_, simdjson::error_message(code)); }

  std::optional<Error> read_held(Source& source, Value& value, int depth) {
    simdjson::ondemand::json_type type{};
    if (const auto code = source.type().get(type)) return fault(code);
    switch (type) {
      case simdjson::ondemand::json_type::array:
        return read_list(source, value, depth);
      case simdjson::ondemand::json_type::object:
        return read_table(source, value, depth);
      case simdjson::ondemand::json_type::number:
        return read_number(source, value);
      case simdjson::ondemand::json_type::string: {
        std::string_view text;
        if (const auto code = source.get_string().get(text)) return fault(code);
        value.held = std::string(text);
        return {};
      }
      case simdjson::ondemand::json_type::boolean: {
        bool flag = false;
        if (const auto code = source.get_bool().get(flag)) return fault(code);
        value.held = flag;
        return {};
      }
      case simdjson::ondemand::json_type::null:
        return bad(name_, line_, "null is not a value here: leave the key out");
    }
    return {};
  }

  std::optional<Error> read_number(Source& source, Value& value) {
    simdjson::ondemand::number number;
    if (const auto code = source.get_number().get(number)) return fault(code);
    if (number.is_int64()) {
      value.held = number.get_int64();
    } else {
      value.held = number.as_double();
    }
    return {};
  }

  std::optional<Error> read_list(Source& source, Value& value, int depth) {
    simdjson::ondemand::array list;
    if (const auto code = source.get_array().get(list)) return fault(code);
    Value::List items;
    for (auto found : list) {
      Source item;
      if (const auto code = found.get(item)) return fault(code);
      auto read_item = read(item, depth + 1);
      if (read_item.has_error()) return read_item.error();
      items.push_back(std::move(*read_item));
    }
    value.held = std::move(items);
    return {};
  }

  std::optional<Error> read_table(Source& source, Value& value, int depth) {
    simdjson::ondemand::object table;
    if (const auto code = source.get_object().get(table)) return fault(code);
    Value::Table members;
    for (auto found : table) {
      simdjson::ondemand::field field;
      if (const auto code = std::move(found).get(field)) return fault(code);
      std::string_view unescaped;
      if (const auto code = field.unescaped_key().get(unescaped)) return fault(code);
      const std::string key(unescaped);
      auto member = read(field.value(), depth + 1);
      if (member.has_error()) return member.error();
      if (!members.emplace(key, std::move(*member)).second) return bad(name_, line_, fmt::format("{} is given twice", key));
    }
    value.held = std::move(members);
    return {};
  }

  std::string_view name_;
  const char* seen_;
  int line_;
};

// `line`: that of the text's first byte.
Result<Document> parse_json(const std::string& text, const std::string& name, int line) {
  const simdjson::padded_string padded(text);
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document source;
  simdjson::ondemand::value whole;
  auto code = parser.iterate(padded).get(source);
  if (code == simdjson::SUCCESS) code = source.get_value().get(whole);
  if (code != simdjson::SUCCESS) return bad(name, 0, simdjson::error_message(code));
  auto root = JsonReader(name, padded.data(), line).read(whole, 0);
  if (root.has_error()) return root.error();
  if (root->as<Value::Table>() == nullptr) return bad(name, line, "is not a JSON object");
  if (source.current_location().error() != simdjson::OUT_OF_BOUNDS) return bad(name, 0, "something follows the JSON object");
  return Document{.name = name, .root = std::move(*root)};
}

}  // namespace

Result<Document> parse_document(const std::string& text, const std::string& name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{' ? parse_json(text, name, 1) : parse_toml(text, name);
}

Result<std::string> read_text_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in.is_open() || in.bad() || std::filesystem::is_directory(path))
    return bad(std::filesystem::path(path).filename().string(), 0, "cannot be read");
  return text;
}

Result<Document> read_document(const std::string& path) {
  const auto text = read_text_file(path);
  if (text.has_error()) return text.error();
  return parse_document(*text, std::filesystem::path(path).filename().string());
}

std::optional<Error> read_lines_of_json(const std::string& path,
                                        const std::function<std::optional<Error>(const Document& line)>& read) {
  const std::string name = std::filesystem::path(path).filename().string();
  std::ifstream in(path);
  if (!in.is_open()) return bad(name, 0, "cannot be read");
  long n = 0;
  for (std::string text; std::getline(in, text);) {
    ++n;
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto line = parse_json(text, name, static_cast<int>(n));
    if (line.has_error()) return bad(name, n, "is not one JSON object");
    if (auto error = read(*line)) return error;
  }
  if (in.bad()) return bad(name, n, "cannot be read further");
  return {};
}

}  // namespace mie::bench
