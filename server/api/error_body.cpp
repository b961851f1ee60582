#include "server/api/error_body.h"

#include "core/base/ensure.h"
#include "server/json/response_write.h"

#include <algorithm>
#include <array>

namespace mie::api {
namespace {

constexpr std::string_view kInvalid = "invalid_request_error";
constexpr std::string_view kNotFoundType = "not_found_error";
constexpr std::string_view kTimeout = "timeout_error";
constexpr std::string_view kRateLimit = "rate_limit_error";
constexpr std::string_view kServer = "server_error";
constexpr std::string_view kUnavailable = "unavailable_error";
constexpr bool kRetryAfter = true;
constexpr bool kCloses = true;

constexpr auto kRows = std::to_array<ErrorRow>({
    {Errc::kBadHttp, 400, "bad_http", kInvalid, Retry::kUnsaid, false, kCloses},
    {Errc::kInvalidJson, 400, "invalid_json", kInvalid},
    {Errc::kInvalidUtf8, 400, "invalid_utf8", kInvalid},
    {Errc::kDuplicateKey, 400, "duplicate_key", kInvalid},
    {Errc::kTooDeep, 400, "too_deep", kInvalid},
    {Errc::kMissingParameter, 400, "missing_required_parameter", kInvalid},
    {Errc::kInvalidType, 400, "invalid_type", kInvalid},
    {Errc::kInvalidValue, 400, "invalid_value", kInvalid},
    {Errc::kUnsupportedParameter, 400, "unsupported_parameter", kInvalid},
    {Errc::kUnsupportedValue, 400, "unsupported_value", kInvalid},
    {Errc::kEmptyPrompt, 400, "empty_prompt", kInvalid},
    {Errc::kContextLengthExceeded, 400, "context_length_exceeded", kInvalid},
    {Errc::kTemplateError, 400, "template_error", kInvalid},
    {Errc::kTemplateLimit, 400, "template_limit", kInvalid},
    {Errc::kNoChatTemplate, 400, "no_chat_template", kInvalid},
    {Errc::kHostNotAllowed, 403, "host_not_allowed", "permission_error"},
    {Errc::kNotFound, 404, "not_found", kNotFoundType},
    {Errc::kModelNotFound, 404, "model_not_found", kNotFoundType},
    {Errc::kMethodNotAllowed, 405, "method_not_allowed", kInvalid},
    {Errc::kRequestTimeout, 408, "request_timeout", kTimeout, Retry::kUnsaid, false, kCloses},
    {Errc::kRequestAborted, 409, "request_aborted", "aborted_error", Retry::kNo},
    {Errc::kBodyTooLarge, 413, "body_too_large", kInvalid, Retry::kUnsaid, false, kCloses},
    {Errc::kUriTooLong, 414, "uri_too_long", kInvalid, Retry::kUnsaid, false, kCloses},
    {Errc::kUnsupportedMediaType, 415, "unsupported_media_type", kInvalid},
    {Errc::kExpectationFailed, 417, "expectation_failed", kInvalid},
    {Errc::kQueueFull, 429, "queue_full", kRateLimit, Retry::kYes, kRetryAfter},
    {Errc::kDeadlineUnreachable, 429, "deadline_unreachable", kRateLimit, Retry::kYes, kRetryAfter},
    {Errc::kHeadersTooLarge, 431, "headers_too_large", kInvalid, Retry::kUnsaid, false, kCloses},
    {Errc::kModelError, 500, "model_error", kServer, Retry::kNo},
    {Errc::kInternal, 500, "internal_error", kServer, Retry::kNo},
    {Errc::kModelFormat, 500, "internal_error", kServer, Retry::kNo},  // found at start; over HTTP it is a bug
    {Errc::kConfig, 500, "internal_error", kServer, Retry::kNo},       // as above
    {Errc::kLoading, 503, "loading", kUnavailable, Retry::kYes, kRetryAfter},
    {Errc::kDraining, 503, "draining", kUnavailable, Retry::kYes, kRetryAfter, kCloses},
    {Errc::kServerShutdown, 503, "server_shutdown", kUnavailable, Retry::kYes, kRetryAfter, kCloses},
    {Errc::kUnhealthy, 503, "unhealthy", kUnavailable, Retry::kYes, kRetryAfter},
    {Errc::kTooManyConnections, 503, "too_many_connections", kUnavailable, Retry::kYes, kRetryAfter, kCloses},
    {Errc::kBodyMemoryFull, 503, "body_memory_full", kUnavailable, Retry::kYes, kRetryAfter, kCloses},
    {Errc::kDeadlineExceeded, 504, "deadline_exceeded", kTimeout, Retry::kNo},
    {Errc::kSlowReader, 504, "slow_reader", kTimeout, Retry::kNo, false, kCloses},
    {Errc::kHttpVersionNotSupported, 505, "http_version_not_supported", kInvalid, Retry::kUnsaid, false, kCloses},
});

}  // namespace

const ErrorRow& error_row(Errc errc) {
  const auto row = std::find_if(kRows.begin(), kRows.end(), [errc](const ErrorRow& r) { return r.errc == errc; });
  ENSURE(row != kRows.end(), "error code without a row");
  return *row;
}

std::string error_body(const Error& error) {
  const ErrorRow& row = error_row(error.code);
  json::JsonWriter out;
  out.begin_object().key("error").begin_object();
  out.member("message", std::string_view(error.message)).member("type", row.type);
  if (error.param.empty())
    out.null_member("param");
  else
    out.member("param", std::string_view(error.param));
  out.member("code", row.code).end_object().end_object();
  return out.take();
}

}  // namespace mie::api
