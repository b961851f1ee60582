// Python's string methods on marked text: every byte keeps its origin. Functions that can make much out of little take the
// Runtime, whose budget they ask first. Used by the thread that renders.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/runtime.h"
#include "core/text/jinja/unicode.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mie::jinja {

enum class Side { kLeft, kRight, kBoth };

// Without the characters of `characters` (nothing: white space) at the ends.
MarkedString strip(const MarkedString& text, std::optional<std::string_view> characters, Side side);
MarkedString with_case(const MarkedString& text, CaseMap map);  // REQUIRES: kUpper or kLower
MarkedString capitalize(const MarkedString& text);
MarkedString title(const MarkedString& text);        // str.title: a letter after a non-letter is upper case
MarkedString title_words(const MarkedString& text);  // the filter `title`: words are what space, "-" and "({[<" part

// The first `count` occurrences, all of them if it is negative.
struct Replacement {
  const MarkedString& from;
  const MarkedString& to;
  std::int64_t count = -1;
};
Result<MarkedString> replace(Runtime& runtime, const MarkedString& text, const Replacement& replacement);
Result<MarkedString> join(Runtime& runtime, const std::vector<MarkedString>& pieces, const MarkedString& separator);
// The text `times` times, in time proportional to the result. REQUIRES: the caller asked the budget.
MarkedString repeated(const MarkedString& text, std::size_t times);
// At least `width` characters: filled with `fill` on the sides that are given.
Result<MarkedString> pad(Runtime& runtime, const MarkedString& text, std::int64_t width, const MarkedString& fill, Side side);

// At most `most` cuts if it is not negative. split_space: at runs of white space, as split() without a separator.
std::vector<MarkedString> split(const MarkedString& text, std::string_view separator, std::int64_t most);
std::vector<MarkedString> split_from_right(const MarkedString& text, std::string_view separator, std::int64_t most);
std::vector<MarkedString> split_space(const MarkedString& text, std::int64_t most);
std::vector<MarkedString> split_space_from_right(const MarkedString& text, std::int64_t most);
enum class LineEnds { kDrop, kKeep };
std::vector<MarkedString> split_lines(const MarkedString& text, LineEnds ends = LineEnds::kDrop);

}  // namespace mie::jinja
