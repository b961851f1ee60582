// What a value can be besides plain data: something with attributes, a call, items, or a state of its own. Objects are made
// by Runtime::make and live as long as the render; values point to them. Used by the thread that renders.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/value.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mie::jinja {

class Runtime;

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<MarkedString, Value>> named;  // **mapping makes names out of input
};

class Object {
 public:
  virtual ~Object() = default;

  [[nodiscard]] virtual std::string type_name() const = 0;                                 // as Python's type(x).__name__
  [[nodiscard]] virtual std::string described() const { return type_name() + " object"; }  // as jinja2 in messages
  virtual Result<MarkedString> repr(Runtime& runtime);

  virtual Result<std::optional<Value>> attribute(Runtime& runtime, std::string_view name);  // nothing: there is none
  [[nodiscard]] virtual bool callable() const { return false; }
  virtual Result<Value> call(Runtime& runtime, Arguments arguments);

  [[nodiscard]] virtual bool iterable() const { return false; }
  virtual Result<std::vector<Value>> items(Runtime& runtime);  // REQUIRES: iterable(); a generator is used up by it
  [[nodiscard]] virtual std::optional<std::size_t> length() const { return std::nullopt; }  // nothing: no len()
  [[nodiscard]] virtual bool indexable() const { return false; }                            // x[0] works
};

}  // namespace mie::jinja
