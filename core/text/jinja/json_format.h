// json.dumps as Python writes it, with insertion order kept. Input text stays marked, its escapes included.
// Used by the thread that renders.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/runtime.h"
#include "core/text/jinja/value.h"

#include <optional>

namespace mie::jinja {

struct JsonStyle {
  bool ensure_ascii = false;
  bool sort_keys = false;
  std::optional<MarkedString> indent;  // of one level; nothing: all on one line
  MarkedString item_separator{", ", Origin::kTemplate};
  MarkedString key_separator{": ", Origin::kTemplate};
};

// Errors: a value or key that JSON has no form for; kTemplateLimit.
Result<MarkedString> to_json(Runtime& runtime, const Value& value, const JsonStyle& style);

}  // namespace mie::jinja
