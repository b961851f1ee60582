// A value of the template language: Python's data model cut to what templates use. Values are immutable and cheap to copy
// (strings and containers are shared). Built by the server from request data, and by the renderer.
// A value of plain data may be read from any thread; one that holds an Object lives and dies inside one render.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mie::jinja {

class Dict;
class MarkedString;
class Object;

enum class Kind { kUndefined, kNone, kBoolean, kInteger, kReal, kString, kList, kTuple, kDict, kObject };

class Value {
 public:
  Value() = default;  // undefined, as a missing variable

  static Value none();
  static Value boolean(bool value);
  static Value integer(std::int64_t value);
  static Value real(double value);
  static Value input(std::string text);  // text that came from a request: marked as input in the rendered prompt
  static Value text(std::string text);   // text of the template or of the server: unmarked
  static Value list(std::vector<Value> items);
  // Insertion order kept; of equal keys the last value wins. The keys count as input, as those of a JSON object do.
  static Value dict(std::vector<std::pair<std::string, Value>> entries);

  // What the renderer builds besides.
  static Value string(MarkedString text);
  static Value tuple(std::vector<Value> items);
  static Value dict(Dict entries);
  static Value object(Object& object);              // owned by the render (see object.h)
  static Value undefined(std::string explanation);  // what an error about its use will say

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(held_.index()); }
  [[nodiscard]] bool is(Kind kind) const { return this->kind() == kind; }
  [[nodiscard]] bool is_sequence() const { return is(Kind::kList) || is(Kind::kTuple); }

  // REQUIRES: the kind that the name says; as_items: a list or a tuple.
  [[nodiscard]] bool as_boolean() const;
  [[nodiscard]] std::int64_t as_integer() const;
  [[nodiscard]] double as_real() const;
  [[nodiscard]] const MarkedString& as_string() const;
  [[nodiscard]] const std::vector<Value>& as_items() const;
  [[nodiscard]] const Dict& as_dict() const;
  [[nodiscard]] Object& as_object() const;
  [[nodiscard]] std::string explanation() const;  // of an undefined value

  // Containers inside containers: 0 for a scalar. Bounds every recursion over data, destructors included.
  [[nodiscard]] int depth() const;

 private:
  struct Undefined {
    std::shared_ptr<const std::string> explanation;
  };
  struct None {};
  struct Sequence {
    std::vector<Value> items;
    int depth;
  };
  struct List {
    std::shared_ptr<const Sequence> sequence;
  };
  struct Tuple {
    std::shared_ptr<const Sequence> sequence;
  };
  // In the order of Kind.
  using Held = std::variant<Undefined, None, bool, std::int64_t, double, std::shared_ptr<const MarkedString>, List, Tuple,
                            std::shared_ptr<const Dict>, Object*>;

  explicit Value(Held held) : held_(std::move(held)) {}
  static std::shared_ptr<const Sequence> sequence(std::vector<Value> items);

  Held held_;
};

}  // namespace mie::jinja
