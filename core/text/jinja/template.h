// The door to the template language: source in, tree; tree and variables in, marked text out. A parsed template is immutable
// and may be rendered from any thread.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/ast.h"
#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/runtime.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mie::jinja {

using Variables = std::vector<std::pair<std::string, Value>>;

class Template {
 public:
  // Error kModelFormat with line and reason.
  static Result<Template> parse(std::string_view source);

  // Errors: kTemplateError, kTemplateLimit.
  [[nodiscard]] Result<MarkedString> render(const Variables& variables, Runtime& runtime) const;

 private:
  explicit Template(Block block) : block_(std::move(block)) {}
  Block block_;
};

}  // namespace mie::jinja
