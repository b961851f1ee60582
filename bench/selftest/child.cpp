#include "bench/selftest/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <system_error>

namespace mie::bench {
namespace {

constexpr int kNotStarted = 127, kSignalled = 128;

}  // namespace

Child::Child(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int to : {STDOUT_FILENO, STDERR_FILENO}) ::posix_spawn_file_actions_adddup2(&actions, ends[1], to);
  if (::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ) != 0) pid_ = -1;
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  output_ = ::fdopen(ends[0], "r");
}

Child::~Child() {
  kill();
  wait();
  if (output_ != nullptr) std::fclose(output_);
}

std::optional<std::string> Child::line() {
  std::string text;
  for (int c = 0; output_ != nullptr && (c = std::getc(output_)) != EOF;) {
    if (c == '\n') return text;
    text += static_cast<char>(c);
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

void Child::kill() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

int Child::wait() {
  if (pid_ <= 0) return kNotStarted;
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

std::string this_program() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed).string();
}

}  // namespace mie::bench
