// Files of one JSON object a line, as --step-trace and --record write them. Pure but for the stream; any thread.
#pragma once

#include "core/base/error.h"
#include "server/json/field_reader.h"
#include "server/json/request_parse.h"

#include <functional>
#include <istream>
#include <optional>
#include <string_view>

namespace mie::json {

// Hands each line to `read`, with whether it is the first, and stops at the first fault. A last line that was cut short is left
// out. Errors: kConfig with the number of the line; a file without a line is "not a file of <flag>".
std::optional<Error> read_json_lines(
    std::istream& in, std::string_view flag,
    const std::function<std::optional<Error>(const RequestDocument&, FieldReader&, bool first)>& read);

}  // namespace mie::json
