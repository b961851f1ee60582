// Filters that read any value as text.
#include "core/text/jinja/access.h"
#include "core/text/jinja/arguments.h"
#include "core/text/jinja/dict.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/filters.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/printf_format.h"
#include "core/text/jinja/python_format.h"
#include "core/text/jinja/string_ops.h"
#include "core/text/jinja/try.h"

#include <algorithm>
#include <array>

namespace mie::jinja {
namespace {

using Bound = BoundArguments;
using TextMap = MarkedString (*)(const MarkedString&);

MarkedString upper(const MarkedString& text) { return with_case(text, CaseMap::kUpper); }
MarkedString lower(const MarkedString& text) { return with_case(text, CaseMap::kLower); }
MarkedString same(const MarkedString& text) { return text; }

MarkedString escape(const MarkedString& text) {
  MarkedString escaped;
  text.for_each_run([&escaped](std::string_view run, Origin origin) {
    for (std::size_t at = 0; at < run.size(); ++at) {
      switch (run[at]) {
        case '&':
          escaped.append("&amp;", origin);
          break;
        case '<':
          escaped.append("&lt;", origin);
          break;
        case '>':
          escaped.append("&gt;", origin);
          break;
        case '\'':
          escaped.append("&#39;", origin);
          break;
        case '"':
          escaped.append("&#34;", origin);
          break;
        default:
          escaped.append(run.substr(at, 1), origin);
      }
    }
  });
  return escaped;
}

template <TextMap kMap>
Result<Value> map_text(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"filter"}));
  MIE_TRY(const MarkedString text, to_text(runtime, self));
  MIE_CHECK(runtime.text(text.size()));
  return Value::string(kMap(text));
}

Result<Value> trim(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"trim", {"chars"}}));
  MIE_TRY(const MarkedString text, to_text(runtime, self));
  MIE_CHECK(runtime.text(text.size()));
  if (!bound.has_some(0)) return Value::string(strip(text, std::nullopt, Side::kBoth));
  MIE_TRY(const MarkedString* characters, bound.text(0));
  return Value::string(strip(text, characters->text(), Side::kBoth));
}

Result<Value> replace_text(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"replace", {"old", "new", "count"}, 2}));
  MIE_TRY(const MarkedString text, to_text(runtime, self));
  MIE_TRY(const MarkedString from, to_text(runtime, bound[0]));
  MIE_TRY(const MarkedString to, to_text(runtime, bound[1]));
  std::int64_t count = -1;
  if (bound.has_some(2)) {
    MIE_TRY(count, bound.integer(2, -1));
  }
  MIE_TRY(MarkedString replaced, replace(runtime, text, {from, to, count}));
  return Value::string(std::move(replaced));
}

Result<Value> center(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"center", {"width"}}));
  MIE_TRY(const MarkedString text, to_text(runtime, self));
  MIE_TRY(const std::int64_t width, bound.integer(0, 80));
  MIE_TRY(MarkedString padded, pad(runtime, text, width, MarkedString(" ", Origin::kTemplate), Side::kBoth));
  return Value::string(std::move(padded));
}

Result<MarkedString> indentation(Runtime& runtime, const Bound& bound) {
  if (bound[0].is(Kind::kString)) return bound[0].as_string();
  MIE_TRY(const std::int64_t width, bound.integer(0, 4));
  return pad(runtime, MarkedString(), width, MarkedString(" ", Origin::kTemplate), Side::kLeft);
}

Result<Value> indent(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"indent", {"width", "first", "blank"}}));
  if (self.is(Kind::kUndefined)) return failure(self.explanation());
  if (!self.is(Kind::kString)) return failure("unsupported operand type(s) for +=: '" + type_name(self) + "' and 'str'");
  MIE_TRY(const MarkedString indentation_text, indentation(runtime, bound));
  MarkedString text = self.as_string();
  text.append("\n");
  MIE_CHECK(runtime.step(static_cast<std::size_t>(std::count(text.text().begin(), text.text().end(), '\n'))));
  MarkedString indented;
  const std::vector<MarkedString> lines = split_lines(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool wanted = i == 0 ? bound.flag(1, false) : bound.flag(2, false) || !lines[i].empty();
    MIE_CHECK(runtime.text(lines[i].size() + indentation_text.size() + 1, indented.size()));
    if (i != 0) indented.append("\n");
    if (wanted) indented.append(indentation_text);
    indented.append(lines[i]);
  }
  return Value::string(std::move(indented));
}

Result<Value> truncate(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"truncate", {"length", "killwords", "end", "leeway"}}));
  if (!self.is(Kind::kString)) return failure("object of type '" + type_name(self) + "' has no len()");
  MIE_TRY(const std::int64_t length, bound.integer(0, 255));
  MIE_TRY(const std::int64_t leeway, bound.integer(3, 5));
  MarkedString end("...", Origin::kTemplate);
  if (bound.has(2)) {
    MIE_TRY(const MarkedString* given, bound.text(2));
    end = *given;
  }
  const MarkedString& text = self.as_string();
  MIE_CHECK(runtime.text(text.size()));
  const std::int64_t kept = length - static_cast<std::int64_t>(n_characters(end.text()));
  if (kept < 0 || leeway < 0) return failure("truncate: length or leeway too small");
  const auto n = static_cast<std::int64_t>(n_characters(text.text()));
  if (n - leeway <= length) return self;
  MarkedString cut = text.slice(0, byte_of_character(text.text(), static_cast<std::size_t>(kept)));
  if (!bound.flag(1, false)) cut = split_from_right(cut, " ", 1).front();
  cut.append(end);
  return Value::string(std::move(cut));
}

Result<Value> count_words(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"wordcount"}));
  MIE_TRY(const MarkedString text, to_text(runtime, self));
  MIE_CHECK(runtime.scan(text.size()));
  const std::string_view all = text.text();
  std::int64_t n = 0;
  bool inside = false;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = next_character(all, at);
    const char32_t c = code_point(all.substr(at, end - at));
    const bool word = is_alphabetic(c) || is_numeric(c) || c == U'_';
    n += word && !inside ? 1 : 0;
    inside = word;
    at = end;
  }
  return Value::integer(n);
}

Result<Value> format(Runtime& runtime, const Value& self, const Arguments& arguments) {
  if (!arguments.positional.empty() && !arguments.named.empty())
    return failure("can't handle positional and keyword arguments at the same time");
  MIE_TRY(const MarkedString text, to_text(runtime, self));
  Dict named;
  for (const auto& [name, value] : arguments.named) named.set(Value::string(name), value);
  const Value values = arguments.named.empty() ? Value::tuple(arguments.positional) : Value::dict(std::move(named));
  MIE_TRY(MarkedString formatted, printf_format(runtime, text, values));
  return Value::string(std::move(formatted));
}

Result<Value> join_items(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"join", {"d", "attribute"}}));
  MIE_TRY(const MarkedString separator, to_text(runtime, bound[0]));
  MIE_TRY(const std::vector<Value> items, items_of(runtime, self));
  std::vector<MarkedString> pieces;
  pieces.reserve(items.size());
  for (const Value& item : items) {
    MIE_TRY(const Value picked, bound.has_some(1) ? get_path(runtime, item, bound[1]) : Result<Value>(item));
    MIE_TRY(MarkedString piece, to_text(runtime, picked));
    MIE_CHECK(runtime.text(piece.size()));
    pieces.push_back(std::move(piece));
  }
  MIE_TRY(MarkedString joined, join(runtime, pieces, separator));
  return Value::string(std::move(joined));
}

constexpr std::array kTextFilters{
    NamedFunction{"capitalize", map_text<capitalize>},
    NamedFunction{"center", center},
    NamedFunction{"e", map_text<escape>},
    NamedFunction{"escape", map_text<escape>},
    NamedFunction{"forceescape", map_text<escape>},
    NamedFunction{"format", format},
    NamedFunction{"indent", indent},
    NamedFunction{"join", join_items},
    NamedFunction{"lower", map_text<lower>},
    NamedFunction{"replace", replace_text},
    NamedFunction{"safe", map_text<same>},
    NamedFunction{"string", map_text<same>},
    NamedFunction{"title", map_text<title_words>},
    NamedFunction{"trim", trim},
    NamedFunction{"truncate", truncate},
    NamedFunction{"upper", map_text<upper>},
    NamedFunction{"wordcount", count_words},
};

}  // namespace

std::span<const NamedFunction> text_filters() { return kTextFilters; }

}  // namespace mie::jinja
