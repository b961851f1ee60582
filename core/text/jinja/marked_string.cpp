#include "core/text/jinja/marked_string.h"

#include <algorithm>

namespace mie::jinja {

MarkedString::MarkedString(std::string text, Origin origin) : text_(std::move(text)) {
  if (origin == Origin::kInput && !text_.empty()) marks_.push_back({0, text_.size()});
}

std::vector<ByteRange>::const_iterator MarkedString::first_mark_after(std::size_t at) const {
  return std::upper_bound(marks_.begin(), marks_.end(), at,
                          [](std::size_t position, const ByteRange& range) { return position < range.end; });
}

Origin MarkedString::origin_at(std::size_t at) const {
  const auto found = first_mark_after(at);
  return found != marks_.end() && found->begin <= at ? Origin::kInput : Origin::kTemplate;
}

MarkedString MarkedString::slice(std::size_t begin, std::size_t end) const {
  MarkedString result;
  result.append(*this, begin, end);
  return result;
}

void MarkedString::append(std::string_view text, Origin origin) {
  const std::size_t begin = text_.size();
  text_.append(text);
  if (origin == Origin::kInput) mark({begin, text_.size()});
}

void MarkedString::append(const MarkedString& other, std::size_t begin, std::size_t end) {
  const std::size_t base = text_.size();
  text_.append(other.text_, begin, end - begin);
  for (auto range = other.first_mark_after(begin); range != other.marks_.end() && range->begin < end; ++range)
    mark({base + std::max(range->begin, begin) - begin, base + std::min(range->end, end) - begin});
}

void MarkedString::truncate(std::size_t size) {
  text_.resize(size);
  while (!marks_.empty() && marks_.back().begin >= size) marks_.pop_back();
  if (!marks_.empty()) marks_.back().end = std::min(marks_.back().end, size);
}

void MarkedString::mark(ByteRange range) {
  if (range.begin == range.end) return;
  if (!marks_.empty() && marks_.back().end == range.begin)
    marks_.back().end = range.end;
  else
    marks_.push_back(range);
}

}  // namespace mie::jinja
