#include "server/router.h"

#include <algorithm>
#include <array>
#include <optional>

namespace mie {
namespace {

constexpr std::string_view kModelPrefix = "/v1/models/";
constexpr std::string_view kGet = "GET, HEAD, OPTIONS";
constexpr std::string_view kPost = "POST, OPTIONS";

constexpr auto kRoutes = std::to_array<Route>({
    {RouteId::kCompletions, "/v1/completions", kPost, true},
    {RouteId::kChatCompletions, "/v1/chat/completions", kPost, true},
    {RouteId::kModels, "/v1/models", kGet, false},
    {RouteId::kHealth, "/health", kGet, false},
    {RouteId::kReady, "/ready", kGet, false},
    {RouteId::kVersion, "/version", kGet, false},
    {RouteId::kMetrics, "/metrics", kGet, false},
    {RouteId::kResetPrefixCache, "/reset_prefix_cache", kPost, true},
    {RouteId::kDebugKv, "/debug/kv", kGet, false},
    {RouteId::kDebugSteps, "/debug/steps", kGet, false},
});
constexpr Route kModelRoute = {RouteId::kModel, "/v1/models/{id}", kGet, false};

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Bad escapes and %00 name nothing.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return {};
    const int high = hex_value(text[i + 1]), low = hex_value(text[i + 2]);
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return {};
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace

RouteMatch match_route(std::string_view method, std::string_view path) {
  RouteMatch match;
  const auto exact = std::find_if(kRoutes.begin(), kRoutes.end(), [path](const Route& r) { return r.pattern == path; });
  if (exact != kRoutes.end()) {
    match.route = &*exact;
  } else if (path.starts_with(kModelPrefix) && path.size() > kModelPrefix.size()) {
    auto id = percent_decoded(path.substr(kModelPrefix.size()));
    if (!id) return match;
    match.model_id = *std::move(id);
    match.route = &kModelRoute;
  } else {
    return match;
  }
  const bool reads = method == "GET" || method == "HEAD";
  match.method_allowed = method == "OPTIONS" || (match.route->is_post ? method == "POST" : reads);
  return match;
}

std::string_view method_label(std::string_view method) {
  static constexpr std::array<std::string_view, 9> kKnown = {"GET",     "HEAD",    "POST",  "PUT",  "DELETE",
                                                             "OPTIONS", "CONNECT", "TRACE", "PATCH"};
  const auto at = std::find(kKnown.begin(), kKnown.end(), method);
  return at == kKnown.end() ? "other" : *at;
}

}  // namespace mie
