// What a TOML or JSON file says, before anybody knows what it means: a tree of values, each with its line. Values and pure
// functions; any thread.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mie::bench {

struct Value {
  using List = std::vector<Value>;
  using Table = std::map<std::string, Value, std::less<>>;

  std::variant<bool, std::int64_t, double, std::string, List, Table> held = false;
  int line = 0;  // in its file, from 1; 0: from no file

  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&held);
  }
};

struct Document {
  std::string name;  // of the file, without folders: what messages begin with
  Value root;        // a table
};

// A text that begins with `{` is JSON, any other is TOML. Errors: kConfig, "{name}:{line}: {what is wrong}".
Result<Document> parse_document(const std::string& text, const std::string& name);
Result<Document> read_document(const std::string& path);
Result<std::string> read_text_file(const std::string& path);

// The value at a path of keys with dots; null when there is none.
[[nodiscard]] const Value* find(const Value& root, std::string_view path);

// "{name}:{line}: {path} {text}", the line being that of the nearest value that the file has.
[[nodiscard]] Error fault_at(const Document& document, std::string_view path, std::string_view text);

// JSON with sorted keys, no white space, and the shortest numbers that read back as the same.
[[nodiscard]] std::string canonical_json(const Value& value);

// One value a line, as traces and prompts are written: each line is handed to `read`, whose complaint ends the file.
// Errors: kConfig with name and line.
std::optional<Error> read_lines_of_json(const std::string& path,
                                        const std::function<std::optional<Error>(const Document& line)>& read);

}  // namespace mie::bench
