// Clients that hang up, pipeline, read slowly or come in crowds: whatever they do, slots and blocks come back and the next
// client is served.
#include "tests/server/test_server.h"

#include <gtest/gtest.h>

#include <random>

namespace mie::test {
namespace {

using std::chrono::milliseconds;

std::string body(const std::string& prompt, int n, const std::string& more = {}) {
  return "{\"prompt\":\"" + prompt + "\",\"max_tokens\":" + std::to_string(n) + ",\"temperature\":0,\"ignore_eos\":true" +
         more + "}";
}
std::string stream_request(int n = 1500) { return post_request("/v1/completions", body("abc", n, ",\"stream\":true")); }

TestServerSetup paced() { return {.fake = {.n_vocab = 300, .eos = TokenId(2), .step_time = milliseconds(1)}}; }

void canary(TestServer& server) {
  const auto answer = server.connect().post("/v1/completions", body("canary", 4));
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.body.find("\"length\""), std::string::npos);
  server.expect_idle();
}

enum class Leave { kClose, kReset, kHalfClose };

void leave(HttpClient& client, Leave how) {
  if (how == Leave::kClose) client.close();
  if (how == Leave::kReset) client.reset();
  if (how == Leave::kHalfClose) client.shutdown_send();
}

TEST(HangUp, WhileDecodingFreesSlotAndBlocks) {
  TestServer server(paced());
  for (const Leave how : {Leave::kClose, Leave::kReset, Leave::kHalfClose}) {
    auto client = server.connect();
    client.send(stream_request());
    EXPECT_NE(client.read_until("data: ").find("200 OK"), std::string::npos);
    leave(client, how);
    server.expect_idle();
  }
  EXPECT_EQ(server.metric("mie_requests_ended_total{outcome=\"client_gone\"}"), 3);
  EXPECT_EQ(server.metric("mie_disconnects_total{state=\"decode\"}"), 3);
  canary(server);
}

TEST(HangUp, OfAWholeAnswerIsNoticedWithoutAWrite) {
  TestServer server(paced());
  auto client = server.connect();
  client.send(post_request("/v1/completions", body("abc", 1500)));
  ASSERT_TRUE(server.wait_for("vllm:num_requests_running", 1));
  client.close();
  server.expect_idle();
  EXPECT_EQ(server.metric("mie_requests_ended_total{outcome=\"client_gone\"}"), 1);
  EXPECT_LT(server.metric("vllm:generation_tokens_total"), 1500);
}

TEST(HangUp, WhileWaitingIsNeverPrefilled) {
  TestServerSetup setup = paced();
  setup.config.max_num_seqs = 1;
  TestServer server(setup);
  auto running = server.connect();
  running.send(stream_request());
  (void)running.read_until("data: ");
  auto waiting = server.connect();
  waiting.send(post_request("/v1/completions", body(std::string(500, 'w'), 5)));
  ASSERT_TRUE(server.wait_for("vllm:num_requests_waiting", 1));
  waiting.close();
  ASSERT_TRUE(server.wait_for("vllm:num_requests_waiting", 0));
  EXPECT_EQ(server.metric("vllm:num_requests_running"), 1) << "the other one goes on";
  running.close();
  server.expect_idle();
  EXPECT_EQ(server.metric("mie_tokens_computed_total{kind=\"prefill\"}"), 3) << "the prompt of the running one";
  EXPECT_EQ(server.metric("mie_disconnects_total{state=\"waiting\"}"), 1);
}

TEST(HangUp, BeforeTheBodyIsWhole) {
  TestServer server;
  for (const Leave how : {Leave::kClose, Leave::kReset, Leave::kHalfClose}) {
    auto client = server.connect();
    const std::string request = stream_request();
    client.send(request.substr(0, request.size() - 5));
    ASSERT_TRUE(server.wait_for("mie_requests_checking", 1));
    leave(client, how);
    server.expect_idle();
  }
  EXPECT_EQ(server.metric("mie_requests_refused_total{code=\"client_gone\"}"), 3);
  EXPECT_EQ(server.metric("http_requests_total{handler=\"/v1/completions\",method=\"POST\",status=\"none\"}"), 3);
}

TEST(HangUp, AfterPipeliningTheNextRequestIsNoticedToo) {
  TestServer server(paced());
  auto client = server.connect();
  client.send(stream_request());
  (void)client.read_until("data: ");
  client.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  (void)client.read_until("data: ");
  std::this_thread::sleep_for(milliseconds(150));
  EXPECT_EQ(server.metric("mie_requests_active"), 1) << "bytes of the next request are not a disconnect";
  client.close();
  server.expect_idle();
}

TEST(HangUp, AtAnyByteOfTheRequest) {
  TestServer server;
  const std::string request = post_request("/v1/completions", body("abc", 3));
  for (std::size_t n = 0; n < request.size(); ++n) {
    auto client = server.connect();
    client.send(request.substr(0, n));
    leave(client, n % 2 == 0 ? Leave::kClose : Leave::kReset);
  }
  canary(server);
}

TEST(HangUp, AHundredAtRandomMomentsLeaveEveryGaugeAtZero) {
  TestServer server(paced());
  std::mt19937 random(3);
  for (int i = 0; i < 100; ++i) {
    auto client = server.connect();
    client.send(stream_request(1 + static_cast<int>(random() % 60)));
    if (random() % 2 == 0) (void)client.read_until("data: ");
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    leave(client, static_cast<Leave>(random() % 3));
  }
  server.expect_idle();
  EXPECT_EQ(server.metric("mie_requests_received_total"),
            server.metric("mie_requests_refused_total") + server.metric("mie_requests_accepted_total"));
  EXPECT_EQ(server.metric("mie_requests_accepted_total"), server.metric("mie_requests_ended_total"));
  EXPECT_EQ(server.metric("vllm:generation_tokens_total"),
            server.metric("mie_tokens_delivered_total") + server.metric("mie_tokens_discarded_total"));
  canary(server);
}

TEST(SlowReader, WhoLeavesTooMuchUntakenIsEnded) {
  TestServerSetup setup;
  setup.config.server.output_buffer_bytes = 4096;
  setup.config.max_num_seqs = 64;
  TestServer server(setup);
  // 64 streams in one answer outrun the socket's own buffers.
  std::string prompts = "\"a\"";
  for (int i = 1; i < 64; ++i) prompts += ",\"" + std::string(static_cast<std::size_t>(i), 'b') + "\"";
  auto client = server.connect(4096);
  client.send(
      post_request("/v1/completions",
                   "{\"prompt\":[" + prompts + "],\"max_tokens\":1900,\"ignore_eos\":true,\"stream\":true,\"logprobs\":20}"));
  ASSERT_TRUE(server.wait_for("mie_requests_ended_total{outcome=\"slow_reader\"}", 1));
  server.expect_idle();
  const std::string seen = client.read_all();
  EXPECT_EQ(seen.find("[DONE]"), std::string::npos) << "a cut stream is never taken for a whole one";
  canary(server);
}

TEST(SlowReader, WhoTakesNothingForTooLongIsEnded) {
  TestServerSetup setup;
  setup.config.server.write_timeout = milliseconds(200);
  setup.config.server.output_buffer_bytes = std::size_t{1} << 30U;
  TestServer server(setup);
  std::string prompts = "\"a\"";
  for (int i = 1; i < 64; ++i) prompts += ",\"" + std::string(static_cast<std::size_t>(i), 'b') + "\"";
  auto client = server.connect(4096);
  client.send(
      post_request("/v1/completions",
                   "{\"prompt\":[" + prompts + "],\"max_tokens\":1900,\"ignore_eos\":true,\"stream\":true,\"logprobs\":20}"));
  EXPECT_TRUE(server.wait_for("mie_requests_ended_total{outcome=\"slow_reader\"}", 1));
  server.expect_idle();
}

TEST(Crowd, OverTheQueueGets429WithRetryAfterAndTheOthersComplete) {
  TestServerSetup setup;
  setup.config.max_queue = 2;
  setup.config.max_num_seqs = 1;
  TestServer server(setup);
  server.gate().close();
  std::vector<HttpClient> clients;
  clients.push_back(server.connect());
  clients.back().send(post_request("/v1/completions", body("c0", 3)));
  ASSERT_TRUE(server.wait_for("mie_requests_accepted_total", 1));
  for (int i = 1; i < 10; ++i) {
    clients.push_back(server.connect());
    clients.back().send(post_request("/v1/completions", body("c" + std::to_string(i), 3)));
  }
  ASSERT_TRUE(server.wait_for("mie_requests_checking", 0));
  ASSERT_TRUE(server.wait_for("mie_requests_received_total", 10));
  server.gate().open();
  int n_ok = 0, n_full = 0;
  for (auto& client : clients) {
    const auto answer = client.read();
    if (answer.status == 200) ++n_ok;
    if (answer.status != 429) continue;
    ++n_full;
    EXPECT_EQ(answer.fields.at("x-should-retry"), "true");
    const int seconds = std::stoi(answer.fields.at("retry-after"));
    EXPECT_TRUE(seconds >= 1 && seconds <= 120);
    EXPECT_NE(answer.body.find("queue_full"), std::string::npos);
    EXPECT_EQ(client.get("/health").status, 200) << "the connection lives";
  }
  EXPECT_EQ(n_ok + n_full, 10);
  EXPECT_GE(n_ok, 2);
  EXPECT_GE(n_full, 7);
  canary(server);
}

TEST(Crowd, ConnectionsOverTheLimitAreToldSo) {
  TestServerSetup setup;
  setup.config.server.max_connections_per_address = 3;
  TestServer server(setup);
  std::vector<HttpClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(server.connect());
    EXPECT_EQ(clients.back().get("/health").status, 200);
  }
  auto refused = server.connect();
  EXPECT_NE(refused.read().body.find("too_many_connections"), std::string::npos);
  EXPECT_TRUE(refused.closed());
  clients.pop_back();
  for (int i = 0; i < 1000; ++i) {  // the place is free a moment after the client has left
    auto next = server.connect();
    if (next.get("/health").status == 200) return;
    std::this_thread::sleep_for(milliseconds(2));
  }
  FAIL() << "no place became free";
}

TEST(Timeouts, TotalTimesEndADribblingClient) {
  TestServerSetup setup;
  setup.config.server.head_timeout = milliseconds(150);
  setup.config.server.body_timeout = milliseconds(150);
  TestServer server(setup);
  auto silent = server.connect();
  EXPECT_TRUE(silent.closed()) << "no byte, no answer";
  for (const std::string& start :
       {std::string("GET /hea"),
        std::string("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")}) {
    auto client = server.connect();
    client.send(start);
    for (int i = 0; i < 6; ++i) {
      std::this_thread::sleep_for(milliseconds(50));
      client.send("x");
    }
    const auto answer = client.read();
    EXPECT_EQ(answer.status, 408) << start;
    EXPECT_EQ(answer.fields.at("connection"), "close");
  }
  server.expect_idle();
}

TEST(Timeouts, AnIdleConnectionIsClosedAndAFullyUsedOneAnnouncesIt) {
  TestServerSetup setup;
  setup.config.server.idle_timeout = milliseconds(100);
  setup.config.server.max_requests_per_connection = 2;
  TestServer server(setup);
  auto idle = server.connect();
  EXPECT_FALSE(idle.get("/health").fields.contains("connection"));
  EXPECT_TRUE(idle.closed());
  auto busy = server.connect();
  (void)busy.get("/health");
  EXPECT_EQ(busy.get("/health").fields.at("connection"), "close");
  EXPECT_TRUE(busy.closed());
}

}  // namespace
}  // namespace mie::test
