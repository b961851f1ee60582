// Another program, started with a file for all that it says. Any thread.
#pragma once

#include "core/base/error.h"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace mie::bench {

// `arguments`: the program's path first. Its output and errors go to `said`. It is in a process group of its own, so that an
// interrupt at the terminal ends a load before its server, and blocks no signal. Error kConfig: it cannot be started.
[[nodiscard]] Result<pid_t> spawn(const std::vector<std::string>& arguments, const std::filesystem::path& said);

// Waits for its end; the exit code, or -1 where a signal ended it. REQUIRES: a child that was not waited for.
[[nodiscard]] int exit_code_of(pid_t pid);

}  // namespace mie::bench
