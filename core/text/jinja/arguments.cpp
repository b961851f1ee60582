#include "core/text/jinja/arguments.h"

#include "core/text/jinja/failure.h"
#include "core/text/jinja/number.h"
#include "core/text/jinja/operators.h"

#include <algorithm>
#include <string>

namespace mie::jinja {

Result<BoundArguments> BoundArguments::bind(const Arguments& arguments, const Signature& signature) {
  const std::string call = std::string(signature.function) + "()";
  const std::size_t n_names = signature.names.size();
  if (arguments.positional.size() > n_names)
    return failure(call + " takes at most " + std::to_string(n_names) + " arguments (" +
                   std::to_string(arguments.positional.size()) + " given)");
  BoundArguments bound;
  bound.values_ = arguments.positional;
  bound.values_.resize(n_names);
  bound.given_.assign(n_names, false);
  std::fill_n(bound.given_.begin(), arguments.positional.size(), true);
  for (const auto& [name, value] : arguments.named) {
    const auto found = std::find(signature.names.begin(), signature.names.end(), name.text());
    if (found == signature.names.end()) return failure(call + " got an unexpected keyword argument " + quoted(name.text()));
    const auto at = static_cast<std::size_t>(found - signature.names.begin());
    if (bound.given_[at]) return failure(call + " got multiple values for argument " + quoted(name.text()));
    bound.values_[at] = value;
    bound.given_[at] = true;
  }
  for (std::size_t i = 0; i < signature.n_required; ++i)
    if (!bound.given_[i])
      return failure(call + " missing 1 required positional argument: '" + std::string(signature.names.begin()[i]) + "'");
  return bound;
}

bool BoundArguments::flag(std::size_t i, bool otherwise) const { return given_[i] ? truthy(values_[i]) : otherwise; }

Result<std::int64_t> BoundArguments::integer(std::size_t i, std::int64_t otherwise) const {
  if (!given_[i]) return otherwise;
  if (const auto value = integral(values_[i])) return *value;
  if (values_[i].is(Kind::kUndefined)) return failure(values_[i].explanation());
  return failure("'" + type_name(values_[i]) + "' object cannot be interpreted as an integer");
}

Result<const MarkedString*> BoundArguments::text(std::size_t i) const {
  if (values_[i].is(Kind::kString)) return &values_[i].as_string();
  if (given_[i] && values_[i].is(Kind::kUndefined)) return failure(values_[i].explanation());
  return failure("must be str, not " + type_name(values_[i]));
}

}  // namespace mie::jinja
