// The variables of one scope of a running template. Scopes form a chain to the template's own; for loops, macros and with
// blocks open one, if does not. Used by the thread that renders.
#pragma once

#include "core/text/jinja/value.h"

#include <string_view>
#include <utility>
#include <vector>

namespace mie::jinja {

class Scope {
 public:
  Scope() = default;
  explicit Scope(Scope& outer) : outer_(&outer) {}

  // Here or further out; null if there is no such variable. Few variables a scope, so a scan beats a hash.
  [[nodiscard]] const Value* find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer_)
      for (const auto& [known, value] : scope->variables_)
        if (known == name) return &value;
    return nullptr;
  }

  // Sets the variable here, whatever is further out. REQUIRES: `name` lives as long as the scope.
  void set(std::string_view name, Value value) {
    for (auto& [known, held] : variables_)
      if (known == name) {
        held = std::move(value);
        return;
      }
    variables_.emplace_back(name, std::move(value));
  }

  void clear() { variables_.clear(); }

  // A macro was defined here and refers to this scope and those around it, so they must outlive their blocks.
  void capture() {
    for (Scope* scope = this; scope != nullptr; scope = scope->outer_) scope->captured_ = true;
  }
  [[nodiscard]] bool captured() const { return captured_; }

 private:
  Scope* outer_ = nullptr;
  bool captured_ = false;
  std::vector<std::pair<std::string_view, Value>> variables_;
};

}  // namespace mie::jinja
