#include "bench/run/load_of_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace mie::bench {
namespace {

std::chrono::nanoseconds seconds(double s) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(s));
}

std::string text_of(const Value& value) {
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* flag = value.as<bool>()) return *flag ? "true" : "false";
  return canonical_json(value);
}

}  // namespace

Result<HeaderFields> header_fields(const TargetSpec& target) {
  HeaderFields fields(target.headers.begin(), target.headers.end());
  if (target.api_key_env.empty()) return fields;
  const char* key = std::getenv(target.api_key_env.c_str());
  if (key == nullptr) return Error{Errc::kConfig, "target.api_key_env: " + target.api_key_env + " is not set", ""};
  fields.emplace_back("Authorization", "Bearer " + std::string(key));
  return fields;
}

LoadSettings load_settings(const WorkloadSpec& spec, const std::string& url, const ServerFacts& server,
                           const HeaderFields& fields) {
  LoadSettings settings;
  settings.url = url;
  settings.endpoint = spec.target.endpoint;
  settings.model = spec.target.model.empty() ? server.model : spec.target.model;
  settings.sampling = spec.sampling;
  settings.stream = {.enabled = spec.stream.enabled,
                     .include_usage = spec.stream.include_usage,
                     .timings = spec.stream.timings && server.is_mie,
                     .token_ids = server.is_mie};
  settings.ignore_eos = spec.output.ignore_eos;
  settings.exact = spec.output.exact;
  settings.headers = fields;
  if (spec.clients.deadline_ms) settings.deadline = std::chrono::milliseconds(*spec.clients.deadline_ms);
  if (!spec.arrival.open()) {
    settings.closed = ClosedLoop{spec.arrival.concurrency};
    settings.warmup = seconds(spec.warmup.seconds);
  }
  if (const auto longest = spec.requests.longest_s()) settings.send_for = seconds(*longest + spec.warmup.seconds);
  settings.timeout = std::chrono::milliseconds(spec.clients.timeout_ms);
  settings.max_in_flight = spec.arrival.max_in_flight;
  settings.overflow = spec.arrival.overflow;
  settings.connections = spec.clients.connections;
  settings.keepalive = spec.clients.keepalive;
  return settings;
}

LoadSettings one_by_one(LoadSettings settings) {
  settings.closed = ClosedLoop{};
  settings.warmup.reset();
  settings.send_for.reset();
  settings.max_in_flight.reset();
  return settings;
}

std::vector<std::string> server_flags(const ArmSpec& arm) {
  std::vector<std::string> flags;
  for (const auto& [key, value] : arm.server) {
    std::string name = key;
    std::ranges::replace(name, '_', '-');
    const bool* flag = value.as<bool>();
    if (flag != nullptr) {
      flags.push_back((*flag ? "--" : "--no-") + name);
    } else {
      flags.insert(flags.end(), {"--" + name, text_of(value)});
    }
  }
  return flags;
}

}  // namespace mie::bench
