#include "server/cors.h"

#include <algorithm>

namespace mie {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find_if(list.begin(), list.end(), [text](const std::string& s) { return same_name(s, text); }) != list.end();
}

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

// 127.0.0.0/8, [::1] or localhost.
bool is_loopback_name(std::string_view name) {
  if (same_name(name, "localhost") || name == "[::1]") return true;
  if (!name.starts_with("127.")) return false;
  int n_dots = 0;
  for (const char c : name) {
    if (c == '.')
      ++n_dots;
    else if (c < '0' || c > '9')
      return false;
  }
  return n_dots == 3;
}

bool is_loopback_origin(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!origin.starts_with(scheme)) continue;
    const auto host = origin.substr(scheme.size());
    return host.find_first_of("/@") == std::string_view::npos && is_loopback_name(without_port(host));
  }
  return false;
}

// The value of Access-Control-Allow-Origin, empty when the origin is not allowed.
std::string allowed_origin(const ServerOptions& options, const RequestHead& head) {
  const auto* origin = head.find("Origin");
  if (origin == nullptr) return {};
  const auto& allowed = options.allowed_origins;
  if (contains(allowed, "*")) return "*";
  if (contains(allowed, *origin) || (contains(allowed, "loopback") && is_loopback_origin(*origin))) return *origin;
  return {};
}

// The requested header names that are valid names, as asked.
std::string valid_names(std::string_view list) {
  std::string names;
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    auto name = list.substr(0, comma);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    const bool valid = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    });
    if (valid) (names += names.empty() ? "" : ", ") += name;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return names;
}

}  // namespace

AnswerFields cors_fields(const ServerOptions& options, const RequestHead& head) {
  const std::string origin = allowed_origin(options, head);
  if (origin.empty()) return {};
  return {{"Access-Control-Allow-Origin", origin},
          {"Vary", "Origin"},
          {"Access-Control-Expose-Headers", "X-Request-Id, Retry-After, Location"}};
}

bool is_preflight(const RequestHead& head) {
  return head.method == "OPTIONS" && head.find("Origin") != nullptr && head.find("Access-Control-Request-Method") != nullptr;
}

AnswerFields preflight_fields(const ServerOptions& options, const RequestHead& head) {
  if (allowed_origin(options, head).empty()) return {};
  AnswerFields fields = {{"Access-Control-Allow-Methods", "GET, POST, DELETE, HEAD"}, {"Access-Control-Max-Age", "600"}};
  if (const auto* asked = head.find("Access-Control-Request-Headers")) {
    if (auto names = valid_names(*asked); !names.empty()) fields.emplace_back("Access-Control-Allow-Headers", std::move(names));
  }
  const auto* private_network = head.find("Access-Control-Request-Private-Network");
  if (private_network != nullptr && same_name(*private_network, "true")) {
    fields.emplace_back("Access-Control-Allow-Private-Network", "true");
  }
  return fields;
}

bool host_allowed(const ServerOptions& options, std::string_view host) {
  const auto name = without_port(host);
  return is_loopback_name(name) || contains(options.allowed_hosts, name) || contains(options.allowed_hosts, host);
}

}  // namespace mie
