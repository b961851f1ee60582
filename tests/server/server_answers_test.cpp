// What clients get: streams and whole answers, errors, HTTP rules. Over loopback, with the model that needs no weights.
// Long because the cases share the reading of answers, and each is short.
#include "tests/server/json_text.h"
#include "tests/server/test_server.h"

#include <gtest/gtest.h>

namespace mie::test {
namespace {

namespace dom = simdjson::dom;

std::string completion_body(const std::string& prompt, int n, const std::string& more = {}) {
  return "{\"prompt\":\"" + prompt + "\",\"max_tokens\":" + std::to_string(n) + ",\"temperature\":0" + more + "}";
}

// What stays the same when a good request follows whatever came before.
void canary(TestServer& server) {
  auto client = server.connect();
  const auto answer = client.post("/v1/completions", completion_body("canary", 5));
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(Json(answer.body).text("/choices/0/text"), server.expected_text("canary", 5));
  server.expect_idle();
}

TEST(Completions, TextUsageAndFinishReason) {
  TestServer server;
  const auto answer = server.connect().post("/v1/completions", completion_body("hello", 7));
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(answer.fields.at("content-type"), "application/json");
  Json json(answer.body);
  EXPECT_EQ(json.text("/choices/0/text"), server.expected_text("hello", 7));
  EXPECT_EQ(json.text("/choices/0/finish_reason"), "length");
  EXPECT_TRUE(json.null("/choices/0/stop_reason"));
  EXPECT_EQ(json.number("/usage/prompt_tokens"), 5);
  EXPECT_EQ(json.number("/usage/completion_tokens"), 7);
  EXPECT_EQ(json.text("/model"), "fake");
  server.expect_idle();
}

TEST(Completions, AListOfPromptsGivesEachItsSoloAnswer) {
  TestServer server;
  const auto answer =
      server.connect().post("/v1/completions", R"({"prompt":["one","two","three"],"max_tokens":6,"temperature":0})");
  Json json(answer.body);
  EXPECT_EQ(json.text("/choices/0/text"), server.expected_text("one", 6));
  EXPECT_EQ(json.text("/choices/1/text"), server.expected_text("two", 6));
  EXPECT_EQ(json.text("/choices/2/text"), server.expected_text("three", 6));
  EXPECT_EQ(json.number("/usage/prompt_tokens"), 11);
  EXPECT_EQ(json.number("/usage/completion_tokens"), 18);
}

// Choice i × n + j is the j-th of prompt i; the first of each is what the prompt gives alone.
TEST(Completions, SeveralChoicesOfEachPrompt) {
  TestServer server;
  auto client = server.connect();
  const std::string body = R"("max_tokens":6,"seed":7,"temperature":1)";
  const auto answer = client.post("/v1/completions", R"({"prompt":["one","two"],"n":3,)" + body + "}");
  ASSERT_EQ(answer.status, 200);
  Json json(answer.body);
  EXPECT_EQ(dom::array(json.root.at_pointer("/choices")).size(), 6U);
  for (const auto& [index, prompt] : {std::pair("0", "one"), {"3", "two"}}) {
    Json alone(client.post("/v1/completions", "{\"prompt\":\"" + std::string(prompt) + "\"," + body + "}").body);
    EXPECT_EQ(json.text(("/choices/" + std::string(index) + "/text").c_str()), alone.text("/choices/0/text"));
  }
  EXPECT_NE(json.text("/choices/0/text"), json.text("/choices/1/text"));
  EXPECT_NE(json.text("/choices/1/text"), json.text("/choices/2/text"));
  EXPECT_EQ(json.number("/usage/prompt_tokens"), 6) << "once a prompt";
  EXPECT_EQ(json.number("/usage/completion_tokens"), 36);
  Json again(client.post("/v1/completions", R"({"prompt":["one","two"],"n":3,)" + body + "}").body);
  for (const char* index : {"0", "1", "2", "3", "4", "5"}) {
    const std::string path = "/choices/" + std::string(index) + "/text";
    EXPECT_EQ(json.text(path.c_str()), again.text(path.c_str()));
  }
  server.expect_idle();
}

// The prompt has 40 tokens, blocks have 32.
TEST(PrefixCache, IsSeenInUsageAndEmptiedOnDemand) {
  TestServer server;
  auto client = server.connect();
  const auto cached = [&](const std::string& more = {}) {
    Json json(client.post("/v1/completions", completion_body(std::string(40, 'a'), 2, more)).body);
    EXPECT_EQ(json.text("/choices/0/text"), server.expected_text(std::string(40, 'a'), 2));
    return json.number("/usage/prompt_tokens_details/cached_tokens");
  };
  EXPECT_EQ(cached(), 0);
  EXPECT_EQ(cached(), 32);
  EXPECT_EQ(cached(R"(,"cache_salt":"x")"), 0);
  EXPECT_EQ(cached(R"(,"cache_salt":"x")"), 32);
  EXPECT_EQ(Json(client.post("/reset_prefix_cache", "").body).number("/blocks_freed"), 2);
  EXPECT_EQ(cached(), 0);
  EXPECT_EQ(client.post("/reset_prefix_cache", "{}").status, 400) << "it takes no body";
}

TEST(Completions, StreamedDeltasJoinToTheWholeText) {
  TestServer server;
  auto client = server.connect();
  for (const char* more : {"", ",\"stop\":[\"a\",\"k\"]", ",\"echo\":true", ",\"logprobs\":2",
                           ",\"skip_special_tokens\":false,\"ignore_eos\":true", ",\"temperature\":1,\"seed\":7"}) {
    for (const char* prompt : {"x", "some longer prompt", "\\u20ac"}) {
      const std::string body = "{\"prompt\":\"" + std::string(prompt) + "\",\"max_tokens\":40" +
                               (std::string_view(more).find("seed") == std::string_view::npos ? ",\"temperature\":0" : "") +
                               more;
      Json whole(client.post("/v1/completions", body + "}").body);
      const auto streamed = client.post("/v1/completions", body + ",\"stream\":true}");
      ASSERT_EQ(streamed.status, 200);
      EXPECT_TRUE(streamed.whole);
      const auto events = streamed.events();
      ASSERT_GE(events.size(), 2U);
      EXPECT_EQ(events.back(), "[DONE]");
      std::string joined;
      for (std::size_t i = 0; i + 1 < events.size(); ++i) {
        Json chunk(events[i]);
        const std::string text = chunk.text("/choices/0/text");
        EXPECT_EQ(text.empty(), i + 2 == events.size()) << "only the finish chunk is without text";
        joined += text;
      }
      EXPECT_EQ(joined, whole.text("/choices/0/text")) << body;
      Json last(events[events.size() - 2]);
      EXPECT_EQ(last.text("/choices/0/finish_reason"), whole.text("/choices/0/finish_reason"));
    }
  }
  server.expect_idle();
}

TEST(Chat, StreamHasRoleContentFinishUsageDone) {
  TestServer server;
  const auto answer = server.connect().post(
      "/v1/chat/completions",
      R"({"messages":[{"role":"user","content":"hi"}],"max_tokens":4,"stream":true,"stream_options":{"include_usage":true}})");
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(answer.fields.at("content-type"), "text/event-stream; charset=utf-8");
  EXPECT_EQ(answer.fields.at("x-accel-buffering"), "no");
  const auto events = answer.events();
  Json role(events.front());
  EXPECT_EQ(role.text("/choices/0/delta/role"), "assistant");
  EXPECT_EQ(role.text("/choices/0/delta/content"), "");
  EXPECT_TRUE(role.null("/usage"));
  const std::string id = role.text("/id");
  EXPECT_TRUE(id.starts_with("chatcmpl-") && id.size() == 9 + 32);
  Json usage(events[events.size() - 2]);
  EXPECT_EQ(usage.number("/usage/completion_tokens"), 4);
  EXPECT_EQ(dom::array(usage.root.at_pointer("/choices")).size(), 0U);
  Json finish(events[events.size() - 3]);
  EXPECT_EQ(finish.text("/choices/0/finish_reason"), "length");
  EXPECT_FALSE(finish.has("/choices/0/delta/content"));
  for (std::size_t i = 0; i + 1 < events.size(); ++i) EXPECT_EQ(Json(events[i]).text("/id"), id);
}

TEST(Chat, LogprobsHaveOneEntryATokenStreamedOrNot) {
  TestServer server({.fake = {.n_vocab = 300, .eos = TokenId(2), .eos_per_mille = 100}});
  auto client = server.connect();
  const std::string body =
      R"({"messages":[{"role":"user","content":"q"}],"max_tokens":30,"temperature":0,"logprobs":true,"top_logprobs":3)";
  Json whole(client.post("/v1/chat/completions", body + "}").body);
  const dom::array entries = whole.root.at_pointer("/choices/0/logprobs/content");
  EXPECT_EQ(static_cast<std::int64_t>(entries.size()), whole.number("/usage/completion_tokens"));
  for (const auto entry : entries) EXPECT_EQ(dom::array(entry["top_logprobs"]).size(), 3U);
  std::size_t n_streamed = 0;
  for (const auto& event : client.post("/v1/chat/completions", body + ",\"stream\":true}").events()) {
    if (event == "[DONE]") continue;
    Json chunk(event);
    if (!chunk.null("/choices/0/logprobs"))
      n_streamed += dom::array(chunk.root.at_pointer("/choices/0/logprobs/content")).size();
  }
  EXPECT_EQ(n_streamed, entries.size());
}

TEST(Chat, StopStringEndsAtOnceAndCountsItsTokens) {
  TestServer server({.fake = {.n_vocab = 300, .eos = TokenId(2), .step_time = std::chrono::milliseconds(1)}});
  auto client = server.connect();
  const std::string text = server.expected_text("stop here", 200);
  const std::string stop = text.substr(text.size() / 2, 3);
  const auto cut = text.find(stop);
  Json json(client.post("/v1/completions", completion_body("stop here", 1000, ",\"stop\":\"" + stop + "\"")).body);
  EXPECT_EQ(json.text("/choices/0/text"), text.substr(0, cut));
  EXPECT_EQ(json.text("/choices/0/finish_reason"), "stop");
  EXPECT_EQ(json.text("/choices/0/stop_reason"), stop);
  EXPECT_LE(json.number("/usage/completion_tokens"), 200);
  server.expect_idle();
  EXPECT_EQ(server.metric("mie_tokens_delivered_total"), static_cast<double>(json.number("/usage/completion_tokens")));
}

TEST(Chat, EosIsCountedAndSaysNothing) {
  TestServer server;
  const auto answer = server.connect().post(
      "/v1/chat/completions",
      R"({"messages":[{"role":"user","content":"x"}],"logit_bias":{"2":100},"max_tokens":10,"temperature":0})");
  Json json(answer.body);
  EXPECT_EQ(json.text("/choices/0/message/content"), "");
  EXPECT_EQ(json.text("/choices/0/finish_reason"), "stop");
  EXPECT_TRUE(json.null("/choices/0/stop_reason"));
  EXPECT_EQ(json.number("/usage/completion_tokens"), 1);
}

TEST(Chat, IgnoredEosGoesOnInSilence) {
  TestServer server;
  auto client = server.connect();
  const auto answer = client.post(
      "/v1/chat/completions",
      R"({"messages":[{"role":"user","content":"x"}],"logit_bias":{"2":100},"ignore_eos":true,"max_tokens":10,"temperature":0,"stream":true})");
  const auto events = answer.events();
  ASSERT_EQ(events.size(), 3U) << "role, finish, [DONE]";
  EXPECT_EQ(Json(events[1]).text("/choices/0/finish_reason"), "length");
}

TEST(Completions, EchoAloneGivesThePrompt) {
  TestServer server;
  auto client = server.connect();
  Json none(client.post("/v1/completions", R"({"prompt":"ping","max_tokens":0,"echo":true})").body);
  EXPECT_EQ(none.text("/choices/0/text"), "ping");
  EXPECT_EQ(none.number("/usage/completion_tokens"), 0);
  EXPECT_EQ(none.text("/choices/0/finish_reason"), "length");
  const auto streamed =
      client.post("/v1/completions", R"({"prompt":"ping","max_tokens":0,"echo":true,"stream":true})").events();
  ASSERT_EQ(streamed.size(), 3U);
  EXPECT_EQ(Json(streamed[0]).text("/choices/0/text"), "ping");
  server.expect_idle();
}

TEST(Completions, TimingsAndTokenIdsOnRequest) {
  TestServer server;
  auto client = server.connect();
  Json json(client
                .post("/v1/completions",
                      completion_body("ab", 3, ",\"include_timings\":true,\"return_token_ids\":true,\"stop\":\"never\""))
                .body);
  EXPECT_EQ(json.number("/timings/steps"), 3);
  EXPECT_EQ(json.number("/timings/prefill_tokens"), 2);
  EXPECT_EQ(json.text("/timings/length_cause"), "max_tokens");
  EXPECT_EQ(dom::array(json.root.at_pointer("/choices/0/token_ids")).size(), 3U);
  EXPECT_EQ(json.number("/choices/0/prompt_token_ids/0"), 'a' + 3);
  const auto events =
      client.post("/v1/completions", completion_body("ab", 3, ",\"include_timings\":true,\"stream\":true")).events();
  Json last(events[events.size() - 2]);
  EXPECT_TRUE(last.has("/timings/first_write_ms"));
  EXPECT_FALSE(Json(events.front()).has("/timings"));
}

TEST(Errors, BadInputThenAGoodRequestOnTheSameConnection) {
  TestServer server;
  auto client = server.connect();
  struct Case {
    const char* path;
    std::string body;
    int status;
    const char* code;
  };
  const std::vector<Case> cases = {
      {"/v1/completions", "{", 400, "invalid_json"},
      {"/v1/completions", "", 400, "invalid_json"},
      {"/v1/completions", "{}", 400, "missing_required_parameter"},
      {"/v1/completions", R"({"prompt":"x","temperature":9})", 400, "invalid_value"},
      {"/v1/completions", R"({"prompt":"x","seed":1e400})", 400, "invalid_value"},
      {"/v1/completions", R"({"prompt":"x","a":1,"a":2})", 400, "duplicate_key"},
      {"/v1/completions", R"({"prompt":"x","guided_regex":"foo**"})", 400, "unsupported_parameter"},
      {"/v1/completions", R"({"prompt":"x","model":"nope"})", 404, "model_not_found"},
      {"/v1/completions", R"({"prompt":""})", 400, "empty_prompt"},
      {"/v1/completions", R"({"prompt":"x","max_tokens":2147483647,"stream":true})", 400, "context_length_exceeded"},
      {"/v1/completions", "{\"prompt\":\"" + std::string(200'000, 'a') + "\"}", 400, "context_length_exceeded"},
      {"/v1/chat/completions", R"({"messages":[]})", 400, "invalid_value"},
      {"/v1/chat/completions", R"({"messages":[{"role":"user","content":"\ud800"}]})", 400, "invalid_utf8"},
      {"/v1/chat/completions", "{\"messages\":" + std::string(100'000, '[') + "}", 400, "too_deep"},
      {"/v1/nope", "{}", 404, "not_found"},
      {"/v1/models", "{}", 405, "method_not_allowed"},
  };
  for (const Case& c : cases) {
    const auto answer = client.post(c.path, c.body);
    EXPECT_EQ(answer.status, c.status) << c.path << " " << c.body.substr(0, 80);
    Json json(answer.body);
    EXPECT_EQ(json.text("/error/code"), c.code) << c.body.substr(0, 80);
    EXPECT_TRUE(json.has("/error/param") && json.has("/error/type") && json.has("/error/message"));
    EXPECT_FALSE(answer.fields.contains("connection"));
  }
  const auto good = client.post("/v1/completions", completion_body("canary", 5));
  EXPECT_EQ(Json(good.body).text("/choices/0/text"), server.expected_text("canary", 5)) << "the same connection still works";
  server.expect_idle();
  EXPECT_EQ(server.metric("mie_requests_refused_total"), 14);
  EXPECT_EQ(server.metric("mie_requests_received_total"), 15);
}

TEST(Errors, HeadersOfAPost) {
  TestServer server;
  const auto status = [&](const std::string& fields, const std::string& json = R"({"prompt":"x","max_tokens":1})") {
    auto client = server.connect();
    client.send("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\n" + fields +
                "Content-Length: " + std::to_string(json.size()) + "\r\n\r\n" + json);
    return client.read().status;
  };
  EXPECT_EQ(status(""), 200);
  EXPECT_EQ(status("Content-Type: application/json; charset=utf-8\r\n"), 200);
  EXPECT_EQ(status("Content-Type: text/plain\r\n"), 415);
  EXPECT_EQ(status("Content-Type: application/x-www-form-urlencoded\r\n"), 415);
  EXPECT_EQ(status("Origin: http://localhost\r\n"), 415) << "a browser must say what it sends";
  EXPECT_EQ(status("Content-Encoding: gzip\r\n"), 415);
  EXPECT_EQ(status("Content-Encoding: identity\r\nAccept-Encoding: gzip\r\n"), 200);
  EXPECT_EQ(status("X-Request-Timeout-Ms: 0\r\n"), 400);
  EXPECT_EQ(status("X-Request-Timeout-Ms: soon\r\n"), 400);
  EXPECT_EQ(status("Expect: 200-ok\r\n"), 417);
  canary(server);
}

TEST(Errors, FramingFaultsCloseTheConnection) {
  TestServer server;
  const std::string head = "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\n";
  for (const std::string& request :
       {head + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
        head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", head + "Transfer-Encoding: gzip\r\n\r\n",
        std::string("GET /health HTTP/1.1\n\n"), std::string("\x16\x03\x01\r\n\r\n"),
        head + "Transfer-Encoding: chunked\r\n\r\n3;x\r\n{}\n\r\n0\r\n\r\n",
        std::string("GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n")}) {
    auto client = server.connect();
    client.send(request + "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const auto answer = client.read();
    EXPECT_EQ(answer.status, 400) << request;
    EXPECT_EQ(Json(answer.body).text("/error/code"), "bad_http");
    EXPECT_EQ(answer.fields.at("connection"), "close") << request;
    EXPECT_TRUE(client.closed()) << "nothing after the fault is answered: " << request;
  }
  canary(server);
}

TEST(Http, SmallRoutes) {
  TestServer server;
  auto client = server.connect();
  EXPECT_EQ(client.get("/health").body, R"({"status":"ok"})");
  EXPECT_EQ(client.get("/ready").body, R"({"status":"ready"})");
  Json models(client.get("/v1/models").body);
  EXPECT_EQ(models.text("/data/1/id"), "alias");
  Json one(client.get("/v1/models/alias").body);
  EXPECT_EQ(one.number("/meta/n_vocab"), 300);
  EXPECT_EQ(client.get("/v1/models/nope").status, 404);
  EXPECT_TRUE(Json(client.get("/version").body).has("/commit"));
  EXPECT_EQ(client.get("/metrics").fields.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  const auto unknown = client.get("/v1/chat/completions/");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.fields.at("x-content-type-options"), "nosniff");
  const auto wrong = client.get("/v1/chat/completions");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.fields.at("allow"), "POST, OPTIONS");
}

TEST(Http, HeadIsGetWithoutTheBody) {
  TestServer server;
  auto client = server.connect();
  for (const char* path : {"/health", "/metrics", "/v1/models"}) {
    client.send("HEAD " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const auto answer = client.read(HttpClient::Expect::kHeadOnly);
    EXPECT_EQ(answer.status, 200);
    EXPECT_GT(std::stoi(answer.fields.at("content-length")), 0);
  }
  EXPECT_EQ(client.get("/health").body, R"({"status":"ok"})") << "no body was left between the answers";
}

TEST(Http, RequestIdIsKeptOrMade) {
  TestServer server;
  auto client = server.connect();
  client.send("GET /health HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: my.id-1_\r\n\r\n");
  EXPECT_EQ(client.read().fields.at("x-request-id"), "my.id-1_");
  client.send("GET /health HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: bad id\r\n\r\n");
  EXPECT_EQ(client.read().fields.at("x-request-id").size(), 32U);
}

TEST(Http, TwoRequestsInOnePacketAreAnsweredInOrder) {
  TestServer server;
  auto client = server.connect();
  client.send(post_request("/v1/completions", completion_body("first", 5)) +
              post_request("/v1/completions", completion_body("second", 5, ",\"stream\":true")) +
              "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(Json(client.read().body).text("/choices/0/text"), server.expected_text("first", 5));
  EXPECT_EQ(client.read().events().back(), "[DONE]");
  EXPECT_EQ(client.read().body, R"({"status":"ok"})");
  EXPECT_EQ(server.metric("mie_disconnects_total"), 0);
}

TEST(Http, AVersion10StreamIsClosedAfterDone) {
  TestServer server;
  auto client = server.connect();
  const std::string body = completion_body("x", 3, ",\"stream\":true");
  client.send("POST /v1/completions HTTP/1.0\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  const auto answer = client.read();
  EXPECT_FALSE(answer.fields.contains("transfer-encoding"));
  EXPECT_EQ(answer.events().back(), "[DONE]");
  EXPECT_TRUE(client.closed());
}

TEST(Http, ExpectContinueIsAnsweredBeforeTheBody) {
  TestServer server;
  auto client = server.connect();
  const std::string body = completion_body("x", 1);
  client.send("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n");
  EXPECT_EQ(client.read().status, 100);
  client.send(body);
  EXPECT_EQ(client.read().status, 200);
  client.send("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 67108864\r\n\r\n");
  const auto refused = client.read();
  EXPECT_EQ(refused.status, 413);
  EXPECT_TRUE(client.closed());
}

TEST(Http, ALargeBodyInSmallChunks) {
  TestServer server;
  auto client = server.connect();
  client.send("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string body = R"({"prompt":"hi","max_tokens":2,"temperature":0,"zzz":")" + std::string(100'000, 'q') + "\"}";
  std::string chunks;
  for (const char c : body) (chunks += "1\r\n") += std::string(1, c) + "\r\n";
  client.send(chunks + "0\r\n\r\n");
  EXPECT_EQ(Json(client.read().body).text("/choices/0/text"), server.expected_text("hi", 2));
}

TEST(Http, BrowsersGetTheirFieldsOnErrorsAndStreamsToo) {
  TestServer server;
  auto client = server.connect();
  client.send(post_request("/v1/completions", "{", "Origin: http://localhost:5173\r\n"));
  EXPECT_EQ(client.read().fields.at("access-control-allow-origin"), "http://localhost:5173");
  client.send(
      post_request("/v1/completions", completion_body("x", 1, ",\"stream\":true"), "Origin: http://localhost:5173\r\n"));
  EXPECT_EQ(client.read().fields.at("access-control-allow-origin"), "http://localhost:5173");
  client.send(
      "OPTIONS /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nOrigin: "
      "http://localhost:1\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization, "
      "x-stainless-os\r\n\r\n");
  const auto preflight = client.read();
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.fields.at("access-control-allow-headers"), "authorization, x-stainless-os");
  client.send("GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(client.read().status, 403);
}

}  // namespace
}  // namespace mie::test
