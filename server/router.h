// Which route a path and method mean. A table of exact raw paths; pure functions.
#pragma once

#include <string>
#include <string_view>
#include <variant>

namespace mie {

enum class RouteId {
  kCompletions,
  kChatCompletions,
  kModels,
  kModel,
  kHealth,
  kReady,
  kVersion,
  kMetrics,
  kResetPrefixCache,
  kDebugKv,
  kDebugSteps
};

struct Route {
  RouteId id;
  std::string_view pattern;  // label `handler` of the HTTP metrics
  std::string_view allow;    // value of Allow
  bool is_post;              // else GET and HEAD
};

struct RouteMatch {
  const Route* route = nullptr;  // null: no such path
  bool method_allowed = false;   // OPTIONS is on every route
  std::string model_id;          // of kModel, percent-decoded once
};

// `path`: raw, without query.
[[nodiscard]] RouteMatch match_route(std::string_view method, std::string_view path);

// The method if it is one of HTTP's, else "other": a metric label never holds client text.
[[nodiscard]] std::string_view method_label(std::string_view method);

}  // namespace mie
