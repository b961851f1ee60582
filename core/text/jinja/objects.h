// The plain kinds of objects: namespace(), functions and bound methods, and what stands for Python's iterators and views.
// Used by the thread that renders.
#pragma once

#include "core/text/jinja/dict.h"
#include "core/text/jinja/object.h"

#include <string>
#include <vector>

namespace mie::jinja {

// The one thing that a template can change: {% set ns.x = 1 %}.
class Namespace final : public Object {
 public:
  explicit Namespace(Dict attributes) : attributes_(std::move(attributes)) {}
  [[nodiscard]] std::string type_name() const override { return "Namespace"; }
  [[nodiscard]] std::string described() const override { return "jinja2.utils.Namespace object"; }
  Result<MarkedString> repr(Runtime& runtime) override;
  Result<std::optional<Value>> attribute(Runtime& runtime, std::string_view name) override;
  void set(const std::string& name, Value value);

 private:
  Dict attributes_;
};

// A function of the environment, or a method together with the value that it was taken from.
class Function final : public Object {
 public:
  using Body = Result<Value> (*)(Runtime& runtime, const Value& self, const Arguments& arguments);

  Function(std::string_view name, Value self, Body body) : name_(name), self_(std::move(self)), body_(body) {}
  [[nodiscard]] std::string type_name() const override { return "function"; }
  Result<MarkedString> repr(Runtime& runtime) override;
  [[nodiscard]] bool callable() const override { return true; }
  Result<Value> call(Runtime& runtime, Arguments arguments) override { return body_(runtime, self_, arguments); }

 private:
  std::string name_;
  Value self_;
  Body body_;
};

// A row of the tables of filters, tests, methods and globals.
struct NamedFunction {
  std::string_view name;
  Function::Body body;
};

// Items behind one of Python's types that are neither a list nor a tuple.
class Iterable final : public Object {
 public:
  enum class Type { kGenerator, kReverseIterator, kDictKeys, kDictValues, kDictItems, kRange };

  // `shown`: what repr() says of a range, "range(0, 3)"; unused otherwise.
  Iterable(Type type, std::vector<Value> items, std::string shown = {})
      : type_(type), items_(std::move(items)), shown_(std::move(shown)) {}
  [[nodiscard]] std::string type_name() const override;
  Result<MarkedString> repr(Runtime& runtime) override;
  [[nodiscard]] bool iterable() const override { return true; }
  Result<std::vector<Value>> items(Runtime& runtime) override;
  [[nodiscard]] std::optional<std::size_t> length() const override;
  [[nodiscard]] bool indexable() const override { return type_ == Type::kRange; }

  // The next item of a generator or iterator, the first one of the others; nothing at the end.
  std::optional<Value> next();

 private:
  [[nodiscard]] bool once() const { return type_ == Type::kGenerator || type_ == Type::kReverseIterator; }

  Type type_;
  std::vector<Value> items_;
  std::size_t n_used_ = 0;  // of a generator: items that were taken
  std::string shown_;
};

}  // namespace mie::jinja
