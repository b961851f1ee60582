#include "bench/run/analysis_command.h"

#include "bench/run/analysis_program.h"

#include <CLI/CLI.hpp>

#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace mie {

// Everything behind the name is the analysis's matter, --help too.
BenchAnalysis::BenchAnalysis(CLI::App& command) : command_(command) {
  command.set_help_flag("");
  command.prefix_command();
}

Result<int> BenchAnalysis::run() {
  const std::filesystem::path program = bench::analysis_program();
  if (program.empty()) return Error{Errc::kConfig, "bench/analysis is not beside this build: run it from a checkout", ""};
  std::vector<std::string> words = {program.string(), command_.get_name()};
  if (std::error_code failed; command_.get_name() == "knee")  // the loads that it asks for are this program's
    words.insert(words.end(), {"--mie", std::filesystem::read_symlink("/proc/self/exe", failed).string()});
  const std::vector<std::string> rest = command_.remaining();
  words.insert(words.end(), rest.begin(), rest.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  return Error{Errc::kConfig, "cannot run " + program.string() + ": " + std::strerror(errno), ""};
}

}  // namespace mie
