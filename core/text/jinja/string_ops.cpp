#include "core/text/jinja/string_ops.h"

#include "core/text/jinja/failure.h"
#include "core/text/jinja/try.h"

#include <algorithm>

namespace mie::jinja {
namespace {

bool is_stripped(std::string_view character, std::optional<std::string_view> characters) {
  if (!characters) return is_space(code_point(character));
  for (std::size_t at = 0; at < characters->size();) {
    const std::size_t end = next_character(*characters, at);
    if (characters->substr(at, end - at) == character) return true;
    at = end;
  }
  return false;
}

// Appends `run` with the case that `choose(code_point)` says for each character.
template <class Choose>
MarkedString map_each(const MarkedString& text, Choose choose) {
  MarkedString mapped;
  mapped.reserve(text.size());
  text.for_each_run([&](std::string_view run, Origin origin) {
    for (std::size_t at = 0; at < run.size();) {
      const std::size_t end = next_character(run, at);
      const std::string_view character = run.substr(at, end - at);
      mapped.append(map_case(character, choose(code_point(character))), origin);
      at = end;
    }
  });
  return mapped;
}

bool parts_words(char32_t c) { return c == U'-' || c == U'(' || c == U'{' || c == U'[' || c == U'<' || is_space(c); }

}  // namespace

MarkedString strip(const MarkedString& text, std::optional<std::string_view> characters, Side side) {
  const std::string_view all = text.text();
  std::size_t begin = 0, end = all.size();
  if (side != Side::kRight)
    for (std::size_t next = 0; begin < end; begin = next) {
      next = next_character(all, begin);
      if (!is_stripped(all.substr(begin, next - begin), characters)) break;
    }
  if (side != Side::kLeft)
    for (std::size_t previous = 0; end > begin; end = previous) {
      previous = previous_character(all, end);
      if (!is_stripped(all.substr(previous, end - previous), characters)) break;
    }
  return text.slice(begin, end);
}

MarkedString with_case(const MarkedString& text, CaseMap map) {
  MarkedString mapped;
  mapped.reserve(text.size());
  text.for_each_run([&](std::string_view run, Origin origin) { mapped.append(map_case(run, map), origin); });
  return mapped;
}

MarkedString capitalize(const MarkedString& text) {
  if (text.empty()) return text;
  const std::size_t first = next_character(text.text(), 0);
  MarkedString result(map_case(std::string_view(text.text()).substr(0, first), CaseMap::kTitle), text.origin_at(0));
  result.append(with_case(text.slice(first, text.size()), CaseMap::kLower));
  return result;
}

MarkedString title(const MarkedString& text) {
  bool after_letter = false;
  return map_each(text, [&after_letter](char32_t c) {
    const CaseMap map = after_letter ? CaseMap::kLower : CaseMap::kTitle;
    after_letter = is_cased(c);
    return map;
  });
}

MarkedString title_words(const MarkedString& text) {
  bool inside_word = false;
  return map_each(text, [&inside_word](char32_t c) {
    const CaseMap map = inside_word ? CaseMap::kLower : CaseMap::kUpper;
    inside_word = !parts_words(c);
    return map;
  });
}

Result<MarkedString> replace(Runtime& runtime, const MarkedString& text, const Replacement& replacement) {
  const auto& [from, to, count] = replacement;
  MIE_CHECK(runtime.text(text.size()));
  MarkedString result;
  std::size_t done = 0, n_replaced = 0;
  const auto wanted = [&n_replaced, most = count] { return most < 0 || n_replaced < static_cast<std::size_t>(most); };
  if (from.empty()) {  // between all characters, and at both ends
    for (std::size_t at = 0; wanted(); ++n_replaced) {
      MIE_CHECK(runtime.text(to.size(), result.size()));
      result.append(to);
      if (at == text.size()) return result;
      done = next_character(text.text(), at);
      result.append(text, at, done);
      at = done;
    }
  }
  while (!from.empty() && wanted()) {
    const std::size_t found = text.text().find(from.text(), done);
    if (found == std::string::npos) break;
    MIE_CHECK(runtime.step());
    MIE_CHECK(runtime.text(to.size(), result.size() + found - done));
    result.append(text, done, found);
    result.append(to);
    done = found + from.size();
    ++n_replaced;
  }
  result.append(text, done, text.size());
  return result;
}

Result<MarkedString> join(Runtime& runtime, const std::vector<MarkedString>& pieces, const MarkedString& separator) {
  MarkedString joined;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    MIE_CHECK(runtime.text(pieces[i].size() + separator.size(), joined.size()));
    if (i != 0) joined.append(separator);
    joined.append(pieces[i]);
  }
  return joined;
}

MarkedString repeated(const MarkedString& text, std::size_t times) {
  MarkedString result, doubled = text;  // doubled: the text 1, 2, 4, … times
  for (; times > 0; times >>= 1) {
    if ((times & 1) != 0) result.append(doubled);
    if (times > 1) doubled.append(MarkedString(doubled));
  }
  return result;
}

Result<MarkedString> pad(Runtime& runtime, const MarkedString& text, std::int64_t width, const MarkedString& fill, Side side) {
  const auto n = static_cast<std::int64_t>(n_characters(text.text()));
  if (n_characters(fill.text()) != 1) return failure("The fill character must be exactly one character long");
  if (width <= n) return text;
  const std::int64_t missing = width - n;
  const auto most = static_cast<std::int64_t>(runtime.limits().output_bytes) + 1;  // refused below, without overflow
  MIE_CHECK(runtime.text(static_cast<std::size_t>(std::min(missing, most)) * fill.size(), text.size()));
  // str.center puts the odd one to the left where the width is odd.
  const std::int64_t half = missing / 2 + (missing & width & 1);
  const std::int64_t left = side == Side::kLeft ? missing : side == Side::kRight ? 0 : half;
  MarkedString padded = repeated(fill, static_cast<std::size_t>(left));
  padded.append(text);
  padded.append(repeated(fill, static_cast<std::size_t>(missing - left)));
  return padded;
}

}  // namespace mie::jinja
