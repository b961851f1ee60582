#include "core/base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace mie {
namespace {

constexpr const char* kTextPattern = "%Y-%m-%dT%H:%M:%S.%e %^%L%$ %n: %v";
// The message itself is key=value text without quotes or control characters, so it needs no escaping here.
constexpr const char* kJsonPattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l","logger":"%n","message":"%v"})";

}  // namespace

void configure_logging(const LogOptions& options) {
  spdlog::sink_ptr sink;
  if (options.file.empty()) {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  } else {
    sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.file);
  }
  spdlog::drop_all();
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("mie", std::move(sink)));
  spdlog::set_pattern(options.json ? kJsonPattern : kTextPattern);
  spdlog::set_level(spdlog::level::from_str(options.level));
  spdlog::flush_on(spdlog::level::info);
}

std::shared_ptr<spdlog::logger> logger(const std::string& name) {
  if (auto existing = spdlog::get(name)) return existing;
  auto made = spdlog::default_logger()->clone(name);
  try {
    spdlog::register_logger(made);
  } catch (const spdlog::spdlog_ex&) {  // another thread was first
    return spdlog::get(name);
  }
  return made;
}

}  // namespace mie
