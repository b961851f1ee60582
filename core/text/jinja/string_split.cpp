#include "core/text/jinja/string_ops.h"

#include <algorithm>

namespace mie::jinja {
namespace {

bool may_cut(const std::vector<MarkedString>& pieces, std::int64_t most) {
  return most < 0 || pieces.size() < static_cast<std::size_t>(most);
}

bool space_at(std::string_view text, std::size_t at) {
  return is_space(code_point(text.substr(at, next_character(text, at) - at)));
}

std::size_t skip_while(std::string_view text, std::size_t at, bool space) {
  while (at < text.size() && space_at(text, at) == space) at = next_character(text, at);
  return at;
}

std::size_t skip_back_while(std::string_view text, std::size_t at, bool space) {
  while (at > 0 && space_at(text, previous_character(text, at)) == space) at = previous_character(text, at);
  return at;
}

}  // namespace

std::vector<MarkedString> split(const MarkedString& text, std::string_view separator, std::int64_t most) {
  std::vector<MarkedString> pieces;
  std::size_t begin = 0;
  while (may_cut(pieces, most)) {
    const std::size_t found = text.text().find(separator, begin);
    if (found == std::string::npos) break;
    pieces.push_back(text.slice(begin, found));
    begin = found + separator.size();
  }
  pieces.push_back(text.slice(begin, text.size()));
  return pieces;
}

std::vector<MarkedString> split_from_right(const MarkedString& text, std::string_view separator, std::int64_t most) {
  std::vector<MarkedString> pieces;
  std::size_t end = text.size();
  while (may_cut(pieces, most) && end >= separator.size()) {
    const std::size_t found = text.text().rfind(separator, end - separator.size());
    if (found == std::string::npos) break;
    pieces.push_back(text.slice(found + separator.size(), end));
    end = found;
  }
  pieces.push_back(text.slice(0, end));
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

std::vector<MarkedString> split_space(const MarkedString& text, std::int64_t most) {
  const std::string_view all = text.text();
  std::vector<MarkedString> pieces;
  std::size_t at = skip_while(all, 0, true);
  while (at < all.size() && may_cut(pieces, most)) {
    const std::size_t end = skip_while(all, at, false);
    pieces.push_back(text.slice(at, end));
    at = skip_while(all, end, true);
  }
  if (at < all.size()) pieces.push_back(text.slice(at, all.size()));
  return pieces;
}

std::vector<MarkedString> split_space_from_right(const MarkedString& text, std::int64_t most) {
  const std::string_view all = text.text();
  std::vector<MarkedString> pieces;
  std::size_t at = skip_back_while(all, all.size(), true);
  while (at > 0 && may_cut(pieces, most)) {
    const std::size_t begin = skip_back_while(all, at, false);
    pieces.push_back(text.slice(begin, at));
    at = skip_back_while(all, begin, true);
  }
  if (at > 0) pieces.push_back(text.slice(0, at));
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

std::vector<MarkedString> split_lines(const MarkedString& text, LineEnds ends) {
  const std::string_view all = text.text();
  std::vector<MarkedString> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < all.size();) {
    std::size_t next = next_character(all, at);
    if (!is_line_break(code_point(all.substr(at, next - at)))) {
      at = next;
      continue;
    }
    if (all[at] == '\r' && next < all.size() && all[next] == '\n') ++next;
    lines.push_back(text.slice(begin, ends == LineEnds::kKeep ? next : at));
    begin = at = next;
  }
  if (begin < all.size()) lines.push_back(text.slice(begin, all.size()));
  return lines;
}

}  // namespace mie::jinja
