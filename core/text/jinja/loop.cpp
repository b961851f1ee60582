#include "core/text/jinja/loop.h"

#include "core/text/jinja/failure.h"
#include "core/text/jinja/objects.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/runtime.h"
#include "core/text/jinja/try.h"

namespace mie::jinja {
namespace {

Value count(std::size_t n) { return Value::integer(static_cast<std::int64_t>(n)); }

Result<Value> cycle(Runtime&, const Value& self, const Arguments& arguments) {
  const auto& loop = dynamic_cast<const Loop&>(self.as_object());
  if (arguments.positional.empty()) return failure("no items for cycling given");
  return arguments.positional[loop.index() % arguments.positional.size()];
}

Result<Value> has_changed(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const bool differs, dynamic_cast<Loop&>(self.as_object()).changed(runtime, Value::tuple(arguments.positional)));
  return Value::boolean(differs);
}

}  // namespace

Value Loop::neighbour(bool exists, std::size_t index, const char* missing) const {
  return exists && items_ != nullptr ? (*items_)[index] : Value::undefined(missing);
}

Result<bool> Loop::changed(Runtime& runtime, Value values) {
  if (last_changed_) {
    MIE_TRY(const bool same, equal(runtime, *last_changed_, values));
    if (same) return false;
  }
  last_changed_ = std::move(values);
  return true;
}

Result<MarkedString> Loop::repr(Runtime&) {
  return MarkedString("<LoopContext " + std::to_string(index_ + 1) + "/" + std::to_string(n_items_) + ">", Origin::kTemplate);
}

Result<Value> Loop::call(Runtime&, Arguments) {
  return failure("The loop must have the 'recursive' marker to be called recursively.");
}

Result<std::optional<Value>> Loop::attribute(Runtime& runtime, std::string_view name) {
  const auto self = [this] { return Value::object(*this); };
  std::optional<Value> found;
  if (name == "index") found = count(index_ + 1);
  if (name == "index0") found = count(index_);
  if (name == "revindex") found = count(n_items_ - index_);
  if (name == "revindex0") found = count(n_items_ - index_ - 1);
  if (name == "first") found = Value::boolean(index_ == 0);
  if (name == "last") found = Value::boolean(index_ + 1 == n_items_);
  if (name == "length") found = count(n_items_);
  if (name == "depth") found = count(1);
  if (name == "depth0") found = count(0);
  if (name == "previtem") found = neighbour(index_ > 0, index_ - 1, "there is no previous item");
  if (name == "nextitem") found = neighbour(index_ + 1 < n_items_, index_ + 1, "there is no next item");
  if (name == "cycle") found = Value::object(runtime.make<Function>("cycle", self(), cycle));
  if (name == "changed") found = Value::object(runtime.make<Function>("changed", self(), has_changed));
  return found;
}

}  // namespace mie::jinja
