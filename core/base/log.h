// Named loggers; messages are key=value. Prompt and output text is logged at trace level only. Control characters and
// backslashes in a message are escaped as in JSON, so that one message is one line whatever a client put into it.
// Thread-safe.
#pragma once

#include <spdlog/spdlog.h>

#include <memory>
#include <string>

namespace mie {

struct LogOptions {
  std::string level = "info";  // trace, debug, info, warn, error, off
  std::string file{};          // empty: stderr
  bool json = false;           // one JSON object a line instead of text
};

// Sets the sink, level and line format of every logger made from now on; loggers already handed out keep theirs. Call once,
// from main, before the parts are built. Throws spdlog::spdlog_ex if the file cannot be opened.
void configure_logging(const LogOptions& options);

// The logger of one part ("engine", "http", "model"), made at first use.
std::shared_ptr<spdlog::logger> logger(const std::string& name);

}  // namespace mie
