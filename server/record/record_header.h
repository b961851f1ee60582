// What a recording says of the engine it was made on, and how a replay gets the same one. Pure functions.
#pragma once

#include "server/config.h"
#include "server/model_loader.h"
#include "server/record/record.h"

namespace mie {

[[nodiscard]] RecordHeader record_header(const Config& config, const LoadedModel& model);

// The recorded settings where `sources` has none as a flag: a recording stands above the environment and a file.
void add_recorded_settings(const RecordHeader& header, ConfigSources& sources);

// Gives a model that was loaded with those settings what they leave open: as many blocks as there were, which the size of the
// memory has decided, and the time of a row. `sized`: a flag decides on the blocks. Error kConfig: the pool is too small.
[[nodiscard]] std::optional<Error> match_recorded(const RecordHeader& header, bool sized, LoadedModel& model);

}  // namespace mie
