#include "core/base/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <string_view>

namespace mie {
namespace {

// The flag %* in the patterns below: the message, with whatever could forge or break a line escaped as in a JSON string.
// Text lines keep their quotes.
class EscapedMessage final : public spdlog::custom_flag_formatter {
 public:
  enum class Quotes { kKeep, kEscape };
  explicit EscapedMessage(Quotes quotes) : quotes_(quotes) {}

  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    for (const char c : std::string_view(message.payload.data(), message.payload.size())) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        continue;
      }
      if (c == '\\' || (c == '"' && quotes_ == Quotes::kEscape)) out.push_back('\\');
      out.push_back(c);
    }
  }

  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<EscapedMessage>(quotes_);
  }

 private:
  Quotes quotes_;
};

std::unique_ptr<spdlog::formatter> line_format(bool json) {
  constexpr const char* kText = "%Y-%m-%dT%H:%M:%S.%e%z %L %n: %*";
  constexpr const char* kJson = R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l","logger":"%n","message":"%*"})";
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<EscapedMessage>('*', json ? EscapedMessage::Quotes::kEscape : EscapedMessage::Quotes::kKeep);
  formatter->set_pattern(json ? kJson : kText);
  return formatter;
}

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
  spdlog::set_formatter(line_format(options.json));
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
