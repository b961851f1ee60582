#include "core/text/jinja/macro.h"

#include "core/text/jinja/dict.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/renderer.h"
#include "core/text/jinja/try.h"

#include <algorithm>

namespace mie::jinja {

Result<MarkedString> Macro::repr(Runtime&) {
  return MarkedString("<Macro " + quoted(definition_.name) + ">", Origin::kTemplate);
}

Result<std::optional<Value>> Macro::attribute(Runtime&, std::string_view name) {
  return name == "name" ? std::optional<Value>(Value::text(definition_.name)) : std::nullopt;
}

Result<Value> Macro::call(Runtime&, Arguments arguments) {
  return renderer_.call_macro(definition_, defined_in_, std::move(arguments));
}

Result<Value> Renderer::call_macro(const MacroDefinition& macro, Scope& defined_in, Arguments arguments) {
  const auto nesting = runtime_.nest_call();
  MIE_CHECK(runtime_.check_nesting());
  OpenScope scope(*this, defined_in);
  MIE_CHECK(bind_parameters(macro, arguments, *scope));
  MIE_CHECK(bind_extras(macro, arguments, *scope));
  MIE_TRY(MarkedString output, capture(macro.body, *scope));
  return Value::string(std::move(output));
}

// Takes from `arguments` what the parameters use and leaves the rest.
Result<void> Renderer::bind_parameters(const MacroDefinition& macro, Arguments& arguments, Scope& scope) {
  const std::size_t n_positional = std::min(arguments.positional.size(), macro.parameters.size());
  for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
    const Parameter& parameter = macro.parameters[i];
    if (i < n_positional) {
      scope.set(parameter.name, arguments.positional[i]);
      continue;
    }
    const auto named = std::find_if(arguments.named.begin(), arguments.named.end(),
                                    [&](const auto& argument) { return argument.first.text() == parameter.name; });
    if (named != arguments.named.end()) {
      scope.set(parameter.name, std::move(named->second));
      arguments.named.erase(named);
    } else if (parameter.otherwise != nullptr) {
      MIE_TRY(Value value, evaluate(*parameter.otherwise, scope));
      scope.set(parameter.name, std::move(value));
    } else {
      scope.set(parameter.name, Value::undefined("parameter " + quoted(parameter.name) + " was not provided"));
    }
  }
  arguments.positional.erase(arguments.positional.begin(),
                             arguments.positional.begin() + static_cast<std::ptrdiff_t>(n_positional));
  return {};
}

// What the parameters left: caller, varargs and kwargs, if the body uses them.
Result<void> Renderer::bind_extras(const MacroDefinition& macro, const Arguments& arguments, Scope& scope) {
  Dict named;
  Value caller = Value::undefined("No caller defined");
  for (const auto& [name, value] : arguments.named) {
    if (macro.uses_caller && name.text() == "caller")
      caller = value;
    else if (macro.uses_kwargs)
      named.set(Value::string(name), value);
    else if (name.text() == "caller")
      return failure("macro " + quoted(macro.name) +
                     " was invoked with two values for the special caller argument. This is most likely a bug.");
    else
      return failure("macro " + quoted(macro.name) + " takes no keyword argument " + quoted(name.text()));
  }
  if (!arguments.positional.empty() && !macro.uses_varargs)
    return failure("macro " + quoted(macro.name) + " takes not more than " + std::to_string(macro.parameters.size()) +
                   " argument(s)");
  if (macro.uses_caller) scope.set("caller", std::move(caller));
  if (macro.uses_kwargs) scope.set("kwargs", Value::dict(std::move(named)));
  if (macro.uses_varargs) scope.set("varargs", Value::tuple(arguments.positional));
  return {};
}

}  // namespace mie::jinja
