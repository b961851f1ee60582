// The settings of `mie serve`, from the flags that an arm gives, for an engine in this process.
#pragma once

#include "server/config.h"

#include <string>
#include <vector>

namespace mie::bench {

// Error kConfig: as `mie serve` says it. The log is set to warnings where no flag chooses its level.
[[nodiscard]] Result<Config> serve_config(const std::vector<std::string>& flags);

}  // namespace mie::bench
