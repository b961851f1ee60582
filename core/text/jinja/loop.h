// The variable `loop` of a for loop. Used by the thread that renders.
#pragma once

#include "core/text/jinja/object.h"

#include <optional>
#include <vector>

namespace mie::jinja {

class Loop final : public Object {
 public:
  // `items` must outlive the loop's iterations; after end() none of them is reached any more.
  explicit Loop(const std::vector<Value>& items) : items_(&items), n_items_(items.size()) {}

  void move_to(std::size_t index) { index_ = index; }
  void end() { items_ = nullptr; }

  [[nodiscard]] std::string type_name() const override { return "LoopContext"; }
  [[nodiscard]] std::string described() const override { return "jinja2.runtime.LoopContext object"; }
  Result<MarkedString> repr(Runtime& runtime) override;
  Result<std::optional<Value>> attribute(Runtime& runtime, std::string_view name) override;
  [[nodiscard]] bool callable() const override { return true; }
  Result<Value> call(Runtime& runtime, Arguments arguments) override;
  [[nodiscard]] std::optional<std::size_t> length() const override { return n_items_; }

  [[nodiscard]] std::size_t index() const { return index_; }
  Result<bool> changed(Runtime& runtime, Value values);  // whether they differ from the last call's

 private:
  [[nodiscard]] Value neighbour(bool exists, std::size_t index, const char* missing) const;

  const std::vector<Value>* items_;
  std::size_t n_items_;
  std::size_t index_ = 0;
  std::optional<Value> last_changed_;
};

}  // namespace mie::jinja
