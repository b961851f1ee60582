#include "bench/run/own_server.h"

#include "bench/run/child_process.h"

#include <sys/wait.h>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

namespace mie::bench {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr std::chrono::milliseconds kReadyLimit = 120s, kEndLimit = 30s, kLook = 20ms;
constexpr std::size_t kShownLog = 2000;  // bytes

Error bad(std::string message) { return {Errc::kConfig, std::move(message), ""}; }

std::string text_of(const std::filesystem::path& log) {
  std::ifstream in(log, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Of the line "… ready … url=http://127.0.0.1:8000".
std::string url_in(const std::string& log) {
  const std::size_t ready = log.find(" ready ");
  const std::size_t url = ready == std::string::npos ? ready : log.find("url=", ready);
  const std::size_t end = url == std::string::npos ? url : log.find('\n', url);
  return end == std::string::npos ? std::string() : log.substr(url + 4, end - url - 4);
}

// True once the process has ended, or after the limit false.
bool ends_within(pid_t pid, std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (::waitpid(pid, nullptr, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<OwnServer>> OwnServer::start(const std::vector<std::string>& flags, const std::filesystem::path& log) {
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return bad("/proc/self/exe: " + failed.message());
  std::vector<std::string> arguments = {(self.parent_path() / "mie").string(), "serve", "--host", "127.0.0.1", "--port", "0"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const auto pid = spawn(arguments, log);
  if (pid.has_error()) return pid.error();
  std::unique_ptr<OwnServer> server(new OwnServer(*pid, ""));
  const auto until = std::chrono::steady_clock::now() + kReadyLimit;
  while (server->url_.empty()) {
    const bool ended = ::waitpid(*pid, nullptr, WNOHANG) != 0;
    const std::string said = text_of(log);
    server->url_ = url_in(said);
    if (ended) server->pid_ = 0;
    if (ended || std::chrono::steady_clock::now() > until)
      return bad("mie serve did not become ready: " + said.substr(said.size() - std::min(said.size(), kShownLog)));
    if (server->url_.empty()) std::this_thread::sleep_for(kLook);
  }
  return server;
}

OwnServer::~OwnServer() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGTERM);
  if (ends_within(pid_, kEndLimit)) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace mie::bench
