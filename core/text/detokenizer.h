// Incremental detokenizer of one choice: token bytes in, whole UTF-8 out. A code point is released when it is complete;
// bytes that can no longer become one are replaced by one U+FFFD per maximal subpart (Unicode chapter 3, table 3-8), so
// no broken UTF-8 ever leaves it and the concatenation does not depend on how the input was split.
// Used by one connection; not thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace mie {

class Detokenizer {
 public:
  // Appends the bytes of one token and returns the text that is now complete (may be empty).
  std::string push(std::string_view token_bytes);

  // The end of the output: an incomplete tail becomes U+FFFD.
  std::string finish();

 private:
  std::string tail_;  // at most 3 bytes: a prefix of a well-formed sequence
};

}  // namespace mie
