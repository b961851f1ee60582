#include "bench/run/analysis_command.h"

#include <CLI/CLI.hpp>

#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace mie {
namespace {

namespace fs = std::filesystem;

// Beside the sources that this program was built from: in the folder of the build, or one above it.
fs::path analysis_program() {
  std::error_code failed;
  for (fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path(); folder != folder.parent_path();
       folder = folder.parent_path()) {
    if (fs::is_regular_file(folder / "bench/analysis/run", failed)) return folder / "bench/analysis/run";
  }
  return {};
}

}  // namespace

// Everything behind the name is the analysis's matter, --help too.
BenchAnalysis::BenchAnalysis(CLI::App& command) : command_(command) {
  command.set_help_flag("");
  command.prefix_command();
}

Result<int> BenchAnalysis::run() {
  const fs::path program = analysis_program();
  if (program.empty()) return Error{Errc::kConfig, "bench/analysis is not beside this build: run it from a checkout", ""};
  std::vector<std::string> words = {program.string(), command_.get_name()};
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
