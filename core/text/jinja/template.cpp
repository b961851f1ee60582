#include "core/text/jinja/template.h"

#include "core/text/jinja/globals.h"
#include "core/text/jinja/lexer.h"
#include "core/text/jinja/parser.h"
#include "core/text/jinja/renderer.h"
#include "core/text/jinja/try.h"

namespace mie::jinja {

Result<Template> Template::parse(std::string_view source) {
  MIE_TRY(std::vector<Token> tokens, tokenize(source));
  MIE_TRY(Block block, Parser(std::move(tokens)).parse_template());
  return Template(std::move(block));
}

Result<MarkedString> Template::render(const Variables& variables, Runtime& runtime) const {
  Scope globals;
  for (const NamedFunction& function : global_functions())
    globals.set(function.name, Value::object(runtime.make<Function>(function.name, Value::none(), function.body)));
  for (const auto& [name, value] : variables) globals.set(name, value);
  Scope scope(globals);
  return Renderer(runtime).render(block_, scope);
}

}  // namespace mie::jinja
