#include "bench/workload/document/value.h"

#include "server/json/response_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace mie::bench {
namespace {

void write(json::JsonWriter& out, const Value& value);

void write_held(json::JsonWriter& out, bool held) { out.boolean(held); }
void write_held(json::JsonWriter& out, std::int64_t held) { out.integer(held); }
void write_held(json::JsonWriter& out, double held) { out.number(held + 0.0); }  // -0 as 0: JSON reads -0 as an integer
void write_held(json::JsonWriter& out, const std::string& held) { out.string(held); }

void write_held(json::JsonWriter& out, const Value::List& held) {
  out.begin_array();
  for (const Value& item : held) write(out, item);
  out.end_array();
}

void write_held(json::JsonWriter& out, const Value::Table& held) {
  out.begin_object();
  for (const auto& [key, item] : held) {
    out.key(key);
    write(out, item);
  }
  out.end_object();
}

void write(json::JsonWriter& out, const Value& value) {
  std::visit([&out](const auto& held) { write_held(out, held); }, value.held);
}

// One step of a path: a key, and "[2]" behind it the third item of its list.
const Value* step(const Value& at, std::string_view name) {
  const std::size_t bracket = std::min(name.find('['), name.size());
  const auto* table = at.as<Value::Table>();
  const auto found = table == nullptr ? Value::Table::const_iterator{} : table->find(name.substr(0, bracket));
  if (table == nullptr || found == table->end()) return nullptr;
  if (bracket == name.size()) return &found->second;
  std::size_t index = 0;
  std::from_chars(name.data() + bracket + 1, name.data() + name.size(), index);
  const auto* list = found->second.as<Value::List>();
  return list == nullptr || index >= list->size() ? nullptr : &(*list)[index];
}

}  // namespace

const Value* find(const Value& root, std::string_view path) {
  const Value* at = &root;
  while (at != nullptr && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    at = step(*at, path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return at;
}

Error fault_at(const Document& document, std::string_view path, std::string_view text) {
  std::string_view known = path;
  const Value* at = find(document.root, known);
  while (at == nullptr) {
    const std::size_t dot = known.rfind('.');
    known = dot == std::string_view::npos ? std::string_view{} : known.substr(0, dot);
    at = find(document.root, known);
  }
  return {Errc::kConfig, fmt::format("{}:{}: {} {}", document.name, std::max(at->line, 1), path, text), std::string(path)};
}

std::string canonical_json(const Value& value) {
  json::JsonWriter out;
  write(out, value);
  return out.take();
}

}  // namespace mie::bench
