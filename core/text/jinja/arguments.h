// Call arguments sorted onto the parameters of a filter, test, method or function. Used by the thread that renders.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/object.h"

#include <initializer_list>
#include <string_view>
#include <vector>

namespace mie::jinja {

// What a native function accepts: names in order, the first `n_required` of which must be given.
struct Signature {
  std::string_view function;  // for messages
  std::initializer_list<std::string_view> names{};
  std::size_t n_required = 0;
};

class BoundArguments {
 public:
  // Errors: too many, unknown, twice or missing.
  static Result<BoundArguments> bind(const Arguments& arguments, const Signature& signature);

  [[nodiscard]] bool has(std::size_t i) const { return given_[i]; }
  // As has(), and not None: Python's usual default.
  [[nodiscard]] bool has_some(std::size_t i) const { return given_[i] && !values_[i].is(Kind::kNone); }
  [[nodiscard]] const Value& operator[](std::size_t i) const { return values_[i]; }  // undefined if not given

  [[nodiscard]] bool flag(std::size_t i, bool otherwise) const;               // truth of the argument
  Result<std::int64_t> integer(std::size_t i, std::int64_t otherwise) const;  // error for another type
  Result<const MarkedString*> text(std::size_t i) const;                      // error unless a string was given

 private:
  std::vector<Value> values_;
  std::vector<bool> given_;
};

}  // namespace mie::jinja
