#include "core/text/jinja/dict.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/try.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mie::jinja {
namespace {

int order_numbers(const Value& a, const Value& b) {
  if (std::isnan(to_real(a)) || std::isnan(to_real(b))) return kUnordered;
  if (less_numbers(a, b)) return -1;
  return less_numbers(b, a) ? 1 : 0;
}

Result<int> order_sequences(Runtime& runtime, const std::vector<Value>& a, const std::vector<Value>& b,
                            std::string_view symbol) {
  const std::size_t n_common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < n_common; ++i) {
    MIE_TRY(const bool same, equal(runtime, a[i], b[i]));
    if (!same) return order(runtime, a[i], b[i], symbol);
  }
  if (a.size() == b.size()) return 0;
  return a.size() < b.size() ? -1 : 1;
}

}  // namespace

Result<int> order(Runtime& runtime, const Value& a, const Value& b, std::string_view symbol) {
  MIE_CHECK(runtime.step());
  if (a.is(Kind::kUndefined)) return failure(a.explanation());
  if (b.is(Kind::kUndefined)) return failure(b.explanation());
  if (is_number(a) && is_number(b)) return order_numbers(a, b);
  if (a.is(Kind::kString) && b.is(Kind::kString)) {
    MIE_CHECK(runtime.scan(std::min(a.as_string().size(), b.as_string().size())));
    const int bytes = a.as_string().text().compare(b.as_string().text());  // UTF-8 sorts as its code points do
    return bytes < 0 ? -1 : static_cast<int>(bytes > 0);
  }
  if (a.is_sequence() && a.kind() == b.kind()) return order_sequences(runtime, a.as_items(), b.as_items(), symbol);
  return failure("'" + std::string(symbol) + "' not supported between instances of '" + type_name(a) + "' and '" +
                 type_name(b) + "'");
}

Result<std::vector<Value>> sorted(Runtime& runtime, const std::vector<Value>& items, const std::vector<Value>& keys,
                                  bool descending) {
  // A bottom-up merge sort of positions: stable, and each comparison may fail, which a library sort cannot express.
  std::vector<std::size_t> from(items.size()), to(items.size());
  std::iota(from.begin(), from.end(), std::size_t{0});
  for (std::size_t width = 1; width < from.size(); width *= 2) {
    for (std::size_t begin = 0; begin < from.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, from.size()), end = std::min(begin + 2 * width, from.size());
      std::size_t left = begin, right = middle;
      for (std::size_t out = begin; out < end; ++out) {
        bool take_left = right == end;
        if (!take_left && left < middle) {
          const Value &first = keys[from[left]], &second = keys[from[right]];
          MIE_TRY(const int ordered, descending ? order(runtime, first, second) : order(runtime, second, first));
          take_left = ordered != -1;
        }
        to[out] = take_left ? from[left++] : from[right++];
      }
    }
    from.swap(to);
  }
  std::vector<Value> result;
  result.reserve(items.size());
  for (const std::size_t position : from) result.push_back(items[position]);
  return result;
}

}  // namespace mie::jinja
