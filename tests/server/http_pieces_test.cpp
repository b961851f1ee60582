// The pure parts of the HTTP side: event frames, routes, texts, browsers' rules, retry times.
#include "server/cors.h"
#include "server/http_text.h"
#include "server/retry_estimate.h"
#include "server/router.h"
#include "server/sse_writer.h"

#include "core/base/ensure.h"

#include <gtest/gtest.h>

namespace mie {
namespace {

TEST(SseWriter, FramesAndChunks) {
  SseWriter chunked(StreamFraming::kChunked);
  EXPECT_EQ(chunked.take(), "") << "an empty chunk would end the body";
  chunked.event("{}");
  chunked.ping();
  chunked.done();
  EXPECT_EQ(chunked.take(), "20\r\ndata: {}\n\n: ping\n\ndata: [DONE]\n\n\r\n");
  EXPECT_EQ(chunked.end(), "0\r\n\r\n");
  SseWriter plain(StreamFraming::kCloseDelimited);
  plain.event("{\"a\":1}");
  EXPECT_EQ(plain.take(), "data: {\"a\":1}\n\n");
  EXPECT_EQ(plain.end(), "");
}

TEST(SseWriter, AnEventIsOneLine) {
  SseWriter out(StreamFraming::kChunked);
  EXPECT_THROW(out.event("a\nb"), InvariantError);
  EXPECT_THROW(out.event("a\rb"), InvariantError);
}

TEST(Router, MatchesExactRawPaths) {
  EXPECT_EQ(match_route("POST", "/v1/chat/completions").route->id, RouteId::kChatCompletions);
  for (const char* path : {"/v1/nope", "/v1/chat/completions/", "/V1/models", "/", "", "//health", "/health/", "/v1/models/",
                           "/%68ealth", "/v1/embeddings"}) {
    EXPECT_EQ(match_route("GET", path).route, nullptr) << path;
  }
}

TEST(Router, MethodsOfARoute) {
  EXPECT_FALSE(match_route("GET", "/v1/chat/completions").method_allowed);
  EXPECT_FALSE(match_route("HEAD", "/v1/completions").method_allowed);
  EXPECT_FALSE(match_route("POST", "/v1/models").method_allowed);
  EXPECT_FALSE(match_route("get", "/health").method_allowed) << "methods are case-sensitive";
  EXPECT_TRUE(match_route("HEAD", "/metrics").method_allowed);
  EXPECT_TRUE(match_route("OPTIONS", "/v1/completions").method_allowed);
  EXPECT_EQ(match_route("PUT", "/health").route->allow, "GET, HEAD, OPTIONS");
}

TEST(Router, DecodesAModelNameOnce) {
  EXPECT_EQ(match_route("GET", "/v1/models/a%2Fb%20c").model_id, "a/b c");
  EXPECT_EQ(match_route("GET", "/v1/models/org/name").model_id, "org/name");
  EXPECT_EQ(match_route("GET", "/v1/models/%2541").model_id, "%41");
  for (const char* bad : {"/v1/models/M%00", "/v1/models/%", "/v1/models/%4", "/v1/models/%zz"})
    EXPECT_EQ(match_route("GET", bad).route, nullptr) << bad;
}

TEST(Router, LabelsNeverHoldClientText) {
  EXPECT_EQ(method_label("POST"), "POST");
  EXPECT_EQ(method_label("X\"y"), "other");
}

TEST(HttpText, DateIsTheOneOfRfc9110) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(reason_phrase(429), "Too Many Requests");
}

TEST(RetryEstimate, StaysWithinItsBounds) {
  RetryEstimate estimate;
  EXPECT_EQ(estimate.seconds(0, 64, 0), 1);
  for (int i = 0; i < 200; ++i) estimate.completed(std::chrono::seconds(10));
  EXPECT_EQ(estimate.seconds(64, 64, 0), 10);
  EXPECT_EQ(estimate.seconds(128, 64, 0), 20);
  EXPECT_EQ(estimate.seconds(64, 64, 1), 13) << "a quarter of jitter, rounded up";
  EXPECT_EQ(estimate.seconds(100'000, 1, 1), 120);
}

RequestHead with_fields(std::string method, std::vector<HeadField> fields) {
  RequestHead head;
  head.method = std::move(method);
  head.fields = std::move(fields);
  return head;
}

TEST(Cors, AnswersAllowedOriginsOnly) {
  ServerOptions options;
  const auto allowed = [&](std::string origin) {
    return !cors_fields(options, with_fields("GET", {{"Origin", std::move(origin)}})).empty();
  };
  for (const char* origin :
       {"http://localhost:3000", "https://localhost", "http://127.0.0.1:8080", "http://127.9.9.9", "http://[::1]:5"})
    EXPECT_TRUE(allowed(origin)) << origin;
  for (const char* origin : {"http://localhost.evil.example", "http://evil.example", "null", "http://127.0.0.1.evil.example",
                             "http://127.0.0.1@evil.example", "ftp://localhost"}) {
    EXPECT_FALSE(allowed(origin)) << origin;
  }
  EXPECT_TRUE(cors_fields(options, with_fields("GET", {})).empty());
  options.allowed_origins = {"https://chat.example"};
  EXPECT_TRUE(allowed("https://chat.example"));
  EXPECT_FALSE(allowed("http://localhost"));
  options.allowed_origins = {"*"};
  EXPECT_EQ(cors_fields(options, with_fields("GET", {{"Origin", "http://any.example"}})).front().second, "*");
  options.allowed_origins = {};
  EXPECT_FALSE(allowed("http://localhost"));
}

TEST(Cors, PreflightEchoesValidNamesOnly) {
  const ServerOptions options;
  const auto head = with_fields("OPTIONS", {{"Origin", "http://localhost"},
                                            {"Access-Control-Request-Method", "POST"},
                                            {"Access-Control-Request-Headers", "authorization, x-stainless-os, bad name, x:y,"},
                                            {"Access-Control-Request-Private-Network", "true"}});
  ASSERT_TRUE(is_preflight(head));
  std::map<std::string, std::string> fields;
  for (const auto& [name, value] : preflight_fields(options, head)) fields[name] = value;
  EXPECT_EQ(fields["Access-Control-Allow-Headers"], "authorization, x-stainless-os");
  EXPECT_EQ(fields["Access-Control-Allow-Methods"], "GET, POST, DELETE, HEAD");
  EXPECT_EQ(fields["Access-Control-Max-Age"], "600");
  EXPECT_EQ(fields["Access-Control-Allow-Private-Network"], "true");
}

TEST(HostCheck, TakesLoopbackNamesAndTheListed) {
  ServerOptions options;
  for (const char* host : {"localhost", "LOCALHOST:8000", "127.0.0.1:1", "127.1.2.3", "[::1]:80"})
    EXPECT_TRUE(host_allowed(options, host)) << host;
  for (const char* host : {"evil.example", "localhost.evil.example:80", "127.0.0.1.nip.example", "10.0.0.1"})
    EXPECT_FALSE(host_allowed(options, host)) << host;
  options.allowed_hosts = {"llm.example"};
  EXPECT_TRUE(host_allowed(options, "llm.example:443"));
}

}  // namespace
}  // namespace mie
