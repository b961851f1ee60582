// A `mie serve` of this build, started for one arm of a run and ended with it. Owned by the run; one thread.
#pragma once

#include "core/base/error.h"

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace mie::bench {

class OwnServer {
 public:
  // On a free port of the loopback, with these flags more; what it logs goes to `log`. Returns when it is ready. Error kConfig:
  // it ended, or was not ready in two minutes; with the end of its log.
  static Result<std::unique_ptr<OwnServer>> start(const std::vector<std::string>& flags, const std::filesystem::path& log);

  ~OwnServer();  // SIGTERM, half a minute later SIGKILL
  OwnServer(const OwnServer&) = delete;
  OwnServer& operator=(const OwnServer&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  OwnServer(pid_t pid, std::string url) : pid_(pid), url_(std::move(url)) {}

  pid_t pid_;
  std::string url_;
};

}  // namespace mie::bench
