// Text that remembers which of its bytes came from a request: a string and the sorted, disjoint ranges of input bytes.
// Everything that makes text out of text goes through append and slice, so an input byte cannot lose its mark on the way.
// A value; const access from any thread. Unmarked text costs one empty vector.
#pragma once

#include "core/text/tokenizer.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mie::jinja {

enum class Origin { kTemplate, kInput };

class MarkedString {
 public:
  MarkedString() = default;
  MarkedString(std::string text, Origin origin);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<ByteRange>& marks() const { return marks_; }  // sorted, disjoint, no two touch
  [[nodiscard]] std::size_t size() const { return text_.size(); }               // bytes
  [[nodiscard]] bool empty() const { return text_.empty(); }

  // Of the byte at `at`. REQUIRES: at < size(). Logarithmic in the number of ranges.
  [[nodiscard]] Origin origin_at(std::size_t at) const;

  // Bytes [begin, end). REQUIRES: begin <= end <= size().
  [[nodiscard]] MarkedString slice(std::size_t begin, std::size_t end) const;

  void reserve(std::size_t n_bytes) { text_.reserve(n_bytes); }
  void append(std::string_view text, Origin origin = Origin::kTemplate);
  void append(const MarkedString& other) { append(other, 0, other.size()); }
  void append(const MarkedString& other, std::size_t begin, std::size_t end);
  void truncate(std::size_t size);  // REQUIRES: size <= size()

  // Calls visit(std::string_view, Origin) for the longest pieces of one origin, in order.
  template <class Visit>
  void for_each_run(Visit visit) const {
    const std::string_view all = text_;
    std::size_t at = 0;
    for (const ByteRange& mark : marks_) {
      if (at < mark.begin) visit(all.substr(at, mark.begin - at), Origin::kTemplate);
      visit(all.substr(mark.begin, mark.end - mark.begin), Origin::kInput);
      at = mark.end;
    }
    if (at < all.size()) visit(all.substr(at), Origin::kTemplate);
  }

 private:
  void mark(ByteRange range);
  [[nodiscard]] std::vector<ByteRange>::const_iterator first_mark_after(std::size_t at) const;

  std::string text_;
  std::vector<ByteRange> marks_;
};

}  // namespace mie::jinja
