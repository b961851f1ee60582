#include "bench/result/shell_line.h"

#include <algorithm>
#include <string_view>

namespace mie::bench {
namespace {

bool plain(char c) {
  constexpr std::string_view kOthers = "%+,-./:=@_";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kOthers.find(c) != std::string_view::npos;
}

void append_word(std::string& line, const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, plain)) {
    line += word;
    return;
  }
  line += '\'';
  for (const char c : word) c == '\'' ? line += R"('\'')" : line += c;
  line += '\'';
}

}  // namespace

std::string shell_line(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    append_word(line, word);
  }
  return line;
}

}  // namespace mie::bench
