#include "server/api/error_body.h"

#include <gtest/gtest.h>

namespace mie::api {
namespace {

TEST(ErrorBody, HasAllFourMembersAlways) {
  EXPECT_EQ(
      error_body({Errc::kInvalidValue, "temperature must be between 0 and 2, got 3", "temperature"}),
      R"({"error":{"message":"temperature must be between 0 and 2, got 3","type":"invalid_request_error","param":"temperature","code":"invalid_value"}})");
  EXPECT_EQ(error_body({Errc::kModelError, "the model step failed", ""}),
            R"({"error":{"message":"the model step failed","type":"server_error","param":null,"code":"model_error"}})");
}

// The documented table, row by row.
TEST(ErrorBody, StatusCodeTypeAndRetryAreAsDocumented) {
  struct Row {
    Errc errc;
    int status;
    std::string_view code, type;
    Retry retry = Retry::kUnsaid;
    bool retry_after = false;
  };
  const Row rows[] = {
      {Errc::kBadHttp, 400, "bad_http", "invalid_request_error"},
      {Errc::kTooDeep, 400, "too_deep", "invalid_request_error"},
      {Errc::kUnsupportedValue, 400, "unsupported_value", "invalid_request_error"},
      {Errc::kNoChatTemplate, 400, "no_chat_template", "invalid_request_error"},
      {Errc::kHostNotAllowed, 403, "host_not_allowed", "permission_error"},
      {Errc::kNotFound, 404, "not_found", "not_found_error"},
      {Errc::kModelNotFound, 404, "model_not_found", "not_found_error"},
      {Errc::kMethodNotAllowed, 405, "method_not_allowed", "invalid_request_error"},
      {Errc::kRequestTimeout, 408, "request_timeout", "timeout_error"},
      {Errc::kRequestAborted, 409, "request_aborted", "aborted_error", Retry::kNo},
      {Errc::kBodyTooLarge, 413, "body_too_large", "invalid_request_error"},
      {Errc::kUriTooLong, 414, "uri_too_long", "invalid_request_error"},
      {Errc::kUnsupportedMediaType, 415, "unsupported_media_type", "invalid_request_error"},
      {Errc::kExpectationFailed, 417, "expectation_failed", "invalid_request_error"},
      {Errc::kQueueFull, 429, "queue_full", "rate_limit_error", Retry::kYes, true},
      {Errc::kDeadlineUnreachable, 429, "deadline_unreachable", "rate_limit_error", Retry::kYes, true},
      {Errc::kHeadersTooLarge, 431, "headers_too_large", "invalid_request_error"},
      {Errc::kModelError, 500, "model_error", "server_error", Retry::kNo},
      {Errc::kInternal, 500, "internal_error", "server_error", Retry::kNo},
      {Errc::kLoading, 503, "loading", "unavailable_error", Retry::kYes, true},
      {Errc::kDraining, 503, "draining", "unavailable_error", Retry::kYes, true},
      {Errc::kServerShutdown, 503, "server_shutdown", "unavailable_error", Retry::kYes, true},
      {Errc::kUnhealthy, 503, "unhealthy", "unavailable_error", Retry::kYes, true},
      {Errc::kTooManyConnections, 503, "too_many_connections", "unavailable_error", Retry::kYes, true},
      {Errc::kDeadlineExceeded, 504, "deadline_exceeded", "timeout_error", Retry::kNo},
      {Errc::kHttpVersionNotSupported, 505, "http_version_not_supported", "invalid_request_error"},
  };
  for (const Row& row : rows) {
    const ErrorRow& found = error_row(row.errc);
    EXPECT_EQ(found.status, row.status) << row.code;
    EXPECT_EQ(found.code, row.code);
    EXPECT_EQ(found.type, row.type) << row.code;
    EXPECT_EQ(found.retry, row.retry) << row.code;
    EXPECT_EQ(found.retry_after, row.retry_after) << row.code;
  }
}

TEST(ErrorBody, EveryCodeOfTheCatalogueHasARow) {
  for (int i = 0; i <= static_cast<int>(Errc::kConfig); ++i) EXPECT_NO_THROW((void)error_row(static_cast<Errc>(i))) << i;
}

}  // namespace
}  // namespace mie::api
