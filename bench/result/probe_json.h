// A probe of the machine as JSON, wherever a figure is written beside one. Pure.
#pragma once

#include "models/native/probe.h"
#include "server/json/response_write.h"

#include <string_view>

namespace mie::bench {

// "name": {…}
void write_probe(json::JsonWriter& out, std::string_view name, const native::ProbeResult& probe);

}  // namespace mie::bench
