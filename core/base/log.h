// Named loggers; lines are key=value. Prompt and output text is logged at trace level only.
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

// Replaces the sink and level of every logger, present and future. Call once, from main, before threads start.
void configure_logging(const LogOptions& options);

// The logger of one part ("engine", "http", "model"), made at first use.
std::shared_ptr<spdlog::logger> logger(const std::string& name);

}  // namespace mie
