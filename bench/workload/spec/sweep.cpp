#include "bench/workload/spec/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mie::bench {
namespace {

constexpr std::size_t kMostCells = 10'000;

struct Axis {
  std::string key;
  const Value::List* values;
};

// Tables within the table are keys with dots.
std::optional<Error> collect(const Document& document, const Value& table, const std::string& path, std::vector<Axis>& axes) {
  for (const auto& [key, value] : *table.as<Value::Table>()) {
    const std::string full = path.empty() ? key : fmt::format("{}.{}", path, key);
    if (value.as<Value::Table>() != nullptr) {
      if (auto error = collect(document, value, full, axes)) return error;
      continue;
    }
    const auto* list = value.as<Value::List>();
    if (list == nullptr || list->empty()) return fault_at(document, "sweep." + full, "must be a list that is not empty");
    axes.push_back({full, list});
  }
  return {};
}

// Sets the value at a path, making the tables on the way; false when something else is in the way.
bool set(Value& root, std::string_view path, const Value& value) {
  auto* table = std::get_if<Value::Table>(&root.held);
  if (table == nullptr) return false;
  const std::size_t dot = path.find('.');
  Value& member = (*table)[std::string(path.substr(0, dot))];
  if (dot == std::string_view::npos) {
    member = value;
    return true;
  }
  if (member.line == 0) member = {Value::Table{}, value.line};
  return set(member, path.substr(dot + 1), value);
}

void name_cell(Value& root, const std::string& which) {
  auto& table = std::get<Value::Table>(root.held);
  const auto name = table.find("name");
  if (name == table.end() || name->second.as<std::string>() == nullptr || which.empty()) return;
  name->second.held = fmt::format("{}[{}]", *name->second.as<std::string>(), which);
}

}  // namespace

Result<std::vector<Document>> expand_sweep(const Document& document) {
  const Value* sweep = find(document.root, "sweep");
  if (sweep == nullptr) return std::vector<Document>{document};
  std::vector<Axis> axes;
  if (sweep->as<Value::Table>() == nullptr) return fault_at(document, "sweep", "must be a table");
  if (const auto error = collect(document, *sweep, "", axes)) return *error;
  std::ranges::sort(axes, {}, &Axis::key);
  std::size_t n = 1;
  for (const Axis& axis : axes) n = std::min(n * axis.values->size(), kMostCells + 1);
  if (n > kMostCells) return fault_at(document, "sweep", fmt::format("has more than {} cells", kMostCells));

  Document base = document;
  std::get<Value::Table>(base.root.held).erase("sweep");
  std::vector<Document> cells;
  for (std::size_t i = 0; i < n; ++i) {
    Document cell = base;
    std::string which;
    std::size_t below = n;
    for (const Axis& axis : axes) {
      below /= axis.values->size();
      const Value& value = (*axis.values)[i / below % axis.values->size()];
      if (!set(cell.root, axis.key, value))
        return fault_at(document, "sweep." + axis.key, "goes through something that is no table");
      which += fmt::format("{}{}={}", which.empty() ? "" : ",", axis.key, canonical_json(value));
    }
    name_cell(cell.root, which);
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace mie::bench
