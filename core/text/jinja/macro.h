// A macro as a value: its definition and the scope that it was defined in. Used by the thread that renders.
#pragma once

#include "core/text/jinja/ast.h"
#include "core/text/jinja/object.h"
#include "core/text/jinja/scope.h"

namespace mie::jinja {

class Renderer;

class Macro final : public Object {
 public:
  // All three must outlive the macro. The scope is captured.
  Macro(Renderer& renderer, const MacroDefinition& definition, Scope& defined_in)
      : renderer_(renderer), definition_(definition), defined_in_(defined_in) {
    defined_in.capture();
  }

  [[nodiscard]] std::string type_name() const override { return "Macro"; }
  [[nodiscard]] std::string described() const override { return "jinja2.runtime.Macro object"; }
  Result<MarkedString> repr(Runtime& runtime) override;
  Result<std::optional<Value>> attribute(Runtime& runtime, std::string_view name) override;
  [[nodiscard]] bool callable() const override { return true; }
  Result<Value> call(Runtime& runtime, Arguments arguments) override;

 private:
  Renderer& renderer_;
  const MacroDefinition& definition_;
  Scope& defined_in_;
};

}  // namespace mie::jinja
