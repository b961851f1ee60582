// Strongly typed numbers: a RequestId cannot be passed where a BlockId is wanted. No arithmetic on purpose.
// Values; any thread.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>

namespace mie {

template <class Tag, class Rep>
class Id {
 public:
  using rep = Rep;

  constexpr Id() = default;
  constexpr explicit Id(Rep value) : value_(value) {}

  [[nodiscard]] constexpr Rep value() const { return value_; }

  friend constexpr auto operator<=>(Id, Id) = default;
  friend std::ostream& operator<<(std::ostream& out, Id id) { return out << id.value_; }

 private:
  Rep value_{};
};

using RequestId = Id<struct RequestTag, std::uint64_t>;  // unique for the life of the process; order of arrival
using TokenId = Id<struct TokenTag, std::int32_t>;       // index into the vocabulary
using BlockId = Id<struct BlockTag, std::int32_t>;       // index of a physical KV block

}  // namespace mie

template <class Tag, class Rep>
struct std::hash<mie::Id<Tag, Rep>> {
  std::size_t operator()(mie::Id<Tag, Rep> id) const noexcept { return std::hash<Rep>{}(id.value()); }
};
