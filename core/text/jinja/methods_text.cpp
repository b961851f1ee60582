// The methods of str. Each binds Python's parameters and leaves the work to string_ops.
#include "core/text/jinja/access.h"
#include "core/text/jinja/arguments.h"
#include "core/text/jinja/brace_format.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/methods.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/string_ops.h"
#include "core/text/jinja/try.h"

#include <algorithm>
#include <array>

namespace mie::jinja {
namespace {

using Bound = BoundArguments;

Value texts(std::vector<MarkedString> pieces) {
  std::vector<Value> values;
  values.reserve(pieces.size());
  for (MarkedString& piece : pieces) values.push_back(Value::string(std::move(piece)));
  return Value::list(std::move(values));
}

template <Side kSide>
Result<Value> strip_sides(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"strip", {"chars"}}));
  MIE_CHECK(runtime.text(self.as_string().size()));
  if (!bound.has_some(0)) return Value::string(strip(self.as_string(), std::nullopt, kSide));
  MIE_TRY(const MarkedString* characters, bound.text(0));
  return Value::string(strip(self.as_string(), characters->text(), kSide));
}

using TextMap = MarkedString (*)(const MarkedString&);
MarkedString upper(const MarkedString& text) { return with_case(text, CaseMap::kUpper); }
MarkedString lower(const MarkedString& text) { return with_case(text, CaseMap::kLower); }

template <TextMap kMap>
Result<Value> map_text(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"case"}));
  MIE_CHECK(runtime.text(self.as_string().size()));
  return Value::string(kMap(self.as_string()));
}

using Split = std::vector<MarkedString> (*)(const MarkedString&, std::string_view, std::int64_t);
using SplitSpace = std::vector<MarkedString> (*)(const MarkedString&, std::int64_t);

template <Split kSplit, SplitSpace kSplitSpace>
Result<Value> split_text(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"split", {"sep", "maxsplit"}}));
  MIE_TRY(std::int64_t most, bound.integer(1, -1));
  most = most < 0 ? runtime.limits().n_steps : std::min(most, runtime.limits().n_steps);  // step() refuses more below
  MIE_CHECK(runtime.text(self.as_string().size()));
  std::vector<MarkedString> pieces;
  if (bound.has_some(0)) {
    MIE_TRY(const MarkedString* separator, bound.text(0));
    if (separator->empty()) return failure("empty separator");
    pieces = kSplit(self.as_string(), separator->text(), most);
  } else {
    pieces = kSplitSpace(self.as_string(), most);
  }
  MIE_CHECK(runtime.step(pieces.size()));
  return texts(std::move(pieces));
}

Result<Value> split_into_lines(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"splitlines", {"keepends"}}));
  const MarkedString& text = self.as_string();
  MIE_CHECK(runtime.text(text.size()));
  MIE_CHECK(runtime.step(static_cast<std::size_t>(std::count(text.text().begin(), text.text().end(), '\n'))));
  std::vector<MarkedString> lines = split_lines(text, bound.flag(0, false) ? LineEnds::kKeep : LineEnds::kDrop);
  MIE_CHECK(runtime.step(lines.size()));
  return texts(std::move(lines));
}

// The bytes of text that [start:end] of arguments `first` and `first + 1` select; nothing if start is beyond the end.
Result<std::optional<ByteRange>> window(const Bound& bound, std::size_t first, const std::string& text) {
  const auto n = static_cast<std::int64_t>(n_characters(text));
  const auto clamp = [n](std::int64_t at) { return at < 0 ? std::max<std::int64_t>(at + n, 0) : at; };
  std::int64_t start = 0, end = n;
  if (bound.has_some(first)) {
    MIE_TRY(start, bound.integer(first, 0));
  }
  if (bound.has_some(first + 1)) {
    MIE_TRY(end, bound.integer(first + 1, n));
  }
  start = clamp(std::max(start, -n));
  end = std::min(clamp(std::max(end, -n)), n);
  if (start > n || end < start) return std::optional<ByteRange>();
  return std::optional<ByteRange>(ByteRange{byte_of_character(text, static_cast<std::size_t>(start)),
                                            byte_of_character(text, static_cast<std::size_t>(end))});
}

enum class End { kStart, kEnd };

template <End kEnd>
Result<Value> has_affix(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const std::string_view name = kEnd == End::kStart ? "startswith" : "endswith";
  MIE_TRY(const Bound bound, Bound::bind(arguments, {name, {"prefix", "start", "end"}, 1}));
  const std::string& text = self.as_string().text();
  MIE_CHECK(runtime.scan(text.size()));
  MIE_TRY(const std::optional<ByteRange> range, window(bound, 1, text));
  const std::vector<Value> candidates = bound[0].is(Kind::kTuple) ? bound[0].as_items() : std::vector<Value>{bound[0]};
  for (const Value& candidate : candidates) {
    if (!candidate.is(Kind::kString))
      return failure(std::string(name) + " first arg must be str or a tuple of str, not " + type_name(candidate));
    if (!range) continue;
    const std::string_view within = std::string_view(text).substr(range->begin, range->end - range->begin);
    const std::string& affix = candidate.as_string().text();
    if (kEnd == End::kStart ? within.starts_with(affix) : within.ends_with(affix)) return Value::boolean(true);
  }
  return Value::boolean(false);
}

enum class Search { kFirst, kLast };
enum class Missing { kMinusOne, kError };

template <Search kSearch, Missing kMissing>
Result<Value> find_text(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"find", {"sub", "start", "end"}, 1}));
  MIE_TRY(const MarkedString* wanted, bound.text(0));
  const std::string& text = self.as_string().text();
  MIE_CHECK(runtime.scan(text.size()));
  MIE_TRY(const std::optional<ByteRange> range, window(bound, 1, text));
  std::size_t found = std::string::npos;
  if (range) {
    const std::string_view within = std::string_view(text).substr(range->begin, range->end - range->begin);
    found = kSearch == Search::kFirst ? within.find(wanted->text()) : within.rfind(wanted->text());
  }
  if (found != std::string::npos)
    return Value::integer(static_cast<std::int64_t>(n_characters(std::string_view(text).substr(0, range->begin + found))));
  if (kMissing == Missing::kError) return failure("substring not found");
  return Value::integer(-1);
}

Result<Value> count_text(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"count", {"sub", "start", "end"}, 1}));
  MIE_TRY(const MarkedString* wanted, bound.text(0));
  const std::string& text = self.as_string().text();
  MIE_CHECK(runtime.scan(text.size()));
  MIE_TRY(const std::optional<ByteRange> range, window(bound, 1, text));
  if (!range) return Value::integer(0);
  const std::string_view within = std::string_view(text).substr(range->begin, range->end - range->begin);
  if (wanted->empty()) return Value::integer(static_cast<std::int64_t>(n_characters(within)) + 1);
  std::int64_t n = 0;
  for (std::size_t at = within.find(wanted->text()); at != std::string_view::npos;
       at = within.find(wanted->text(), at + wanted->size()))
    ++n;
  return Value::integer(n);
}

Result<Value> replace_text(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"replace", {"old", "new", "count"}, 2}));
  MIE_TRY(const MarkedString* from, bound.text(0));
  MIE_TRY(const MarkedString* to, bound.text(1));
  MIE_TRY(const std::int64_t most, bound.integer(2, -1));
  MIE_TRY(MarkedString replaced, replace(runtime, self.as_string(), {*from, *to, most}));
  return Value::string(std::move(replaced));
}

Result<Value> join_texts(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"join", {"iterable"}, 1}));
  if (!is_iterable(bound[0])) return failure("can only join an iterable");
  MIE_TRY(const std::vector<Value> items, items_of(runtime, bound[0]));
  std::vector<MarkedString> pieces;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is(Kind::kString))
      return failure("sequence item " + std::to_string(i) + ": expected str instance, " + type_name(items[i]) + " found");
    pieces.push_back(items[i].as_string());
  }
  MIE_TRY(MarkedString joined, join(runtime, pieces, self.as_string()));
  return Value::string(std::move(joined));
}

template <End kEnd>
Result<Value> remove_affix(Runtime&, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"removeprefix", {"affix"}, 1}));
  MIE_TRY(const MarkedString* affix, bound.text(0));
  const MarkedString& text = self.as_string();
  if (kEnd == End::kStart && text.text().starts_with(affix->text()))
    return Value::string(text.slice(affix->size(), text.size()));
  if (kEnd == End::kEnd && text.text().ends_with(affix->text()))
    return Value::string(text.slice(0, text.size() - affix->size()));
  return self;
}

template <Search kSearch>
Result<Value> partition(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"partition", {"sep"}, 1}));
  MIE_TRY(const MarkedString* separator, bound.text(0));
  if (separator->empty()) return failure("empty separator");
  const MarkedString& text = self.as_string();
  MIE_CHECK(runtime.text(text.size()));
  const std::size_t at = kSearch == Search::kFirst ? text.text().find(separator->text()) : text.text().rfind(separator->text());
  const Value empty = Value::text("");
  if (at == std::string::npos)
    return kSearch == Search::kFirst ? Value::tuple({self, empty, empty}) : Value::tuple({empty, empty, self});
  return Value::tuple({Value::string(text.slice(0, at)), Value::string(text.slice(at, at + separator->size())),
                       Value::string(text.slice(at + separator->size(), text.size()))});
}

template <Side kSide>
Result<Value> pad_text(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"just", {"width", "fillchar"}, 1}));
  MIE_TRY(const std::int64_t width, bound.integer(0, 0));
  const MarkedString space(" ", Origin::kTemplate);
  const MarkedString* fill = &space;
  if (bound.has(1)) {
    MIE_TRY(fill, bound.text(1));
  }
  MIE_TRY(MarkedString padded, pad(runtime, self.as_string(), width, *fill, kSide));
  return Value::string(std::move(padded));
}

// str.isalpha and its kin: some character, and all of them of the class.
template <bool (*kClass)(char32_t)>
Result<Value> all_of_class(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"is"}));
  const std::string_view text = self.as_string().text();
  MIE_CHECK(runtime.scan(text.size()));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = next_character(text, at);
    if (!kClass(code_point(text.substr(at, end - at)))) return Value::boolean(false);
    at = end;
  }
  return Value::boolean(!text.empty());
}

bool is_alphanumeric(char32_t c) { return is_alphabetic(c) || is_numeric(c); }

// str.isupper, str.islower: some cased character, and all cased ones of that case.
template <bool (*kCase)(char32_t)>
Result<Value> all_of_case(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"is"}));
  const std::string_view text = self.as_string().text();
  MIE_CHECK(runtime.scan(text.size()));
  bool some = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = next_character(text, at);
    const char32_t c = code_point(text.substr(at, end - at));
    if (is_cased(c) && !kCase(c)) return Value::boolean(false);
    some = some || is_cased(c);
    at = end;
  }
  return Value::boolean(some);
}

Result<Value> format_text(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(MarkedString formatted, brace_format(runtime, self.as_string(), arguments));
  return Value::string(std::move(formatted));
}

constexpr std::array kTextMethods{
    NamedFunction{"capitalize", map_text<capitalize>},
    NamedFunction{"center", pad_text<Side::kBoth>},
    NamedFunction{"count", count_text},
    NamedFunction{"endswith", has_affix<End::kEnd>},
    NamedFunction{"find", find_text<Search::kFirst, Missing::kMinusOne>},
    NamedFunction{"format", format_text},
    NamedFunction{"index", find_text<Search::kFirst, Missing::kError>},
    NamedFunction{"isalnum", all_of_class<is_alphanumeric>},
    NamedFunction{"isalpha", all_of_class<is_alphabetic>},
    NamedFunction{"isdecimal", all_of_class<is_decimal>},
    NamedFunction{"isdigit", all_of_class<is_digit>},
    NamedFunction{"islower", all_of_case<is_lower>},
    NamedFunction{"isnumeric", all_of_class<is_numeric>},
    NamedFunction{"isspace", all_of_class<is_space>},
    NamedFunction{"isupper", all_of_case<is_upper>},
    NamedFunction{"join", join_texts},
    NamedFunction{"ljust", pad_text<Side::kRight>},
    NamedFunction{"lower", map_text<lower>},
    NamedFunction{"lstrip", strip_sides<Side::kLeft>},
    NamedFunction{"partition", partition<Search::kFirst>},
    NamedFunction{"removeprefix", remove_affix<End::kStart>},
    NamedFunction{"removesuffix", remove_affix<End::kEnd>},
    NamedFunction{"replace", replace_text},
    NamedFunction{"rfind", find_text<Search::kLast, Missing::kMinusOne>},
    NamedFunction{"rindex", find_text<Search::kLast, Missing::kError>},
    NamedFunction{"rjust", pad_text<Side::kLeft>},
    NamedFunction{"rpartition", partition<Search::kLast>},
    NamedFunction{"rsplit", split_text<split_from_right, split_space_from_right>},
    NamedFunction{"rstrip", strip_sides<Side::kRight>},
    NamedFunction{"split", split_text<split, split_space>},
    NamedFunction{"splitlines", split_into_lines},
    NamedFunction{"startswith", has_affix<End::kStart>},
    NamedFunction{"strip", strip_sides<Side::kBoth>},
    NamedFunction{"title", map_text<title>},
    NamedFunction{"upper", map_text<upper>},
};

}  // namespace

std::span<const NamedFunction> text_methods() { return kTextMethods; }

}  // namespace mie::jinja
