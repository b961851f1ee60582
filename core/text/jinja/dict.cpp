#include "core/text/jinja/dict.h"

#include "core/base/ensure.h"
#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/number.h"

#include <algorithm>

namespace mie::jinja {
namespace {

constexpr std::size_t kScanUpTo = 8;  // entries; a hash costs more than so few comparisons

}  // namespace

bool equal_scalars(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) return equal_numbers(a, b);
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kUndefined:
    case Kind::kNone:
      return true;
    case Kind::kString:
      return a.as_string().text() == b.as_string().text();
    default:
      return false;
  }
}

bool Dict::can_be_key(const Value& value) { return value.kind() >= Kind::kNone && value.kind() <= Kind::kString; }

std::size_t Dict::position(std::string_view key) const {
  if (!by_text_.empty()) {
    const auto found = by_text_.find(key);
    return found == by_text_.end() ? size() : found->second;
  }
  const auto found = std::find_if(entries_.begin(), entries_.end(), [key](const Entry& entry) {
    return entry.first.is(Kind::kString) && entry.first.as_string().text() == key;
  });
  return static_cast<std::size_t>(found - entries_.begin());
}

std::size_t Dict::position(const Value& key) const {
  if (key.is(Kind::kString)) return position(std::string_view(key.as_string().text()));
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&key](const Entry& entry) { return equal_scalars(entry.first, key); });
  return static_cast<std::size_t>(found - entries_.begin());
}

const Value* Dict::find(std::string_view key) const {
  const std::size_t at = position(key);
  return at == size() ? nullptr : &entries_[at].second;
}

const Value* Dict::find(const Value& key) const {
  const std::size_t at = position(key);
  return at == size() ? nullptr : &entries_[at].second;
}

void Dict::set(Value key, Value value) {
  ENSURE(can_be_key(key), "key of a dict");
  depth_ = std::max(depth_, value.depth() + 1);
  if (const std::size_t at = position(key); at != size()) {
    entries_[at].second = std::move(value);
    return;
  }
  entries_.emplace_back(std::move(key), std::move(value));
  if (entries_.size() <= kScanUpTo) return;
  const std::size_t first_unknown = by_text_.empty() ? 0 : entries_.size() - 1;
  for (std::size_t i = first_unknown; i < entries_.size(); ++i)
    if (entries_[i].first.is(Kind::kString)) by_text_.emplace(entries_[i].first.as_string().text(), i);
}

}  // namespace mie::jinja
