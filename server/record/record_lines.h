// A recording as JSON lines: the header, then one line an event. Pure functions.
#pragma once

#include "core/base/error.h"
#include "server/record/record.h"

#include <istream>
#include <string>

namespace mie {

[[nodiscard]] std::string header_line(const RecordHeader& header);

// `start`: what the stamps of a request are counted from; those of a request that was read are counted from zero.
[[nodiscard]] std::string event_line(const RecordEvent& event, Clock::time_point start = {});

// Written where an event could not be kept; a reader refuses the file.
[[nodiscard]] std::string gap_line();

// A last line without its end, as a killed process leaves it, is ignored. Error kConfig with the number of the line.
Result<Record> read_record(std::istream& in);

}  // namespace mie
