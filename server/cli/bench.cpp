#include "server/cli/bench.h"

#include "server/exit_codes.h"

#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace mie {

int run_bench(char** argv) {
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::string program = (self.parent_path() / "mie-bench").string();
  if (!failed) ::execv(program.c_str(), argv);
  const std::string why = failed ? failed.message() : std::strerror(errno);
  std::fprintf(stderr, "mie: cannot run %s: %s (./dev build makes it)\n", program.c_str(), why.c_str());
  return kExitConfig;
}

}  // namespace mie
