// The server's own states: loading, failing steps, deadlines, drain, and the sums of its counters after a mixed run.
#include "server/app.h"
#include "server/json/response_write.h"
#include "tests/server/test_server.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <thread>

namespace mie::test {
namespace {

using std::chrono::milliseconds;

std::string body(const std::string& prompt, int n, const std::string& more = {}) {
  return "{\"prompt\":\"" + prompt + "\",\"max_tokens\":" + std::to_string(n) + ",\"temperature\":0,\"ignore_eos\":true" +
         more + "}";
}

TEST(Loading, HealthIsGreenReadyIsNotAndWorkIsRefused) {
  TestServer server({.loaded = false});
  auto client = server.connect();
  EXPECT_EQ(client.get("/health").body, R"({"status":"loading"})");
  const auto ready = client.get("/ready");
  EXPECT_EQ(ready.status, 503);
  EXPECT_EQ(ready.body, R"({"status":"loading"})");
  const auto refused = client.post("/v1/completions", body("x", 1));
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.body.find("\"loading\""), std::string::npos);
  EXPECT_TRUE(refused.fields.contains("retry-after"));
  EXPECT_EQ(client.get("/v1/models").status, 503);
  EXPECT_EQ(client.get("/metrics").status, 200);
}

TEST(ModelFailure, BeforeTheFirstTokenIsATrueStatusEvenForAStream) {
  TestServer server({.faults = {{.step = 0, .kind = FakeFault::Kind::kModelStep}}});
  auto client = server.connect();
  const auto failed = client.post("/v1/completions", body("x", 3, ",\"stream\":true"));
  EXPECT_EQ(failed.status, 500);
  EXPECT_EQ(failed.fields.at("x-should-retry"), "false");
  EXPECT_NE(failed.body.find("model_error"), std::string::npos);
  EXPECT_EQ(client.post("/v1/completions", body("x", 3)).status, 200) << "the next one works, on the same connection";
  server.expect_idle();
}

TEST(ModelFailure, AfterItIsOneErrorFrameAndNoDone) {
  TestServer server({.fake = {.n_vocab = 300, .eos = TokenId(2), .step_time = milliseconds(20)},
                     .faults = {{.step = 3, .kind = FakeFault::Kind::kNonFinite}}});
  auto client = server.connect();
  const auto answer =
      client.post("/v1/completions", body("x", 50, ",\"stream\":true,\"stream_options\":{\"include_usage\":true}"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.whole) << "the chunked body ends cleanly";
  const auto events = answer.events();
  EXPECT_NE(events.back().find("\"code\":\"model_error\""), std::string::npos);
  for (std::size_t i = 0; i + 1 < events.size(); ++i) EXPECT_EQ(events[i].find("error"), std::string::npos);
  EXPECT_TRUE(client.closed());
  server.expect_idle();
  EXPECT_EQ(server.metric("mie_requests_ended_total{outcome=\"error\"}"), 1);
}

TEST(Deadline, BeforeTheFirstTokenIs504) {
  TestServer server({.fake = {.n_vocab = 300, .eos = TokenId(2), .step_time = milliseconds(100)}});
  auto client = server.connect();
  for (const std::string& request :
       {post_request("/v1/completions", body("x", 100, ",\"timeout_ms\":20")),
        post_request("/v1/completions", body("x", 100, ",\"stream\":true"), "X-Request-Timeout-Ms: 20\r\n")}) {
    client.send(request);
    const auto answer = client.read();
    EXPECT_EQ(answer.status, 504);
    EXPECT_NE(answer.body.find("deadline_exceeded"), std::string::npos);
    EXPECT_EQ(answer.fields.at("x-should-retry"), "false");
  }
  server.expect_idle();
}

TEST(Deadline, AfterItIsAnErrorFrame) {
  TestServer server({.fake = {.n_vocab = 300, .eos = TokenId(2), .step_time = milliseconds(10)}});
  const auto answer = server.connect().post("/v1/completions", body("x", 1000, ",\"stream\":true,\"timeout_ms\":150"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.events().back().find("deadline_exceeded"), std::string::npos);
  server.expect_idle();
  EXPECT_EQ(server.metric("mie_requests_ended_total{outcome=\"deadline\"}"), 1);
}

TEST(Drain, RunningStreamsEndWholeWaitingAndNewOnesAreRefused) {
  TestServerSetup setup{.fake = {.n_vocab = 300, .eos = TokenId(2), .step_time = milliseconds(2)}};
  setup.config.max_num_seqs = 1;
  TestServer server(setup);
  auto running = server.connect();
  running.send(post_request("/v1/completions", body("run", 100, ",\"stream\":true")));
  (void)running.read_until("data: ");
  auto waiting = server.connect();
  waiting.send(post_request("/v1/completions", body("wait", 5)));
  ASSERT_TRUE(server.wait_for("vllm:num_requests_waiting", 1));
  auto idle = server.connect();
  ASSERT_EQ(idle.get("/health").status, 200);

  server.begin_drain();
  const auto refused = waiting.read();
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.body.find("draining"), std::string::npos);
  EXPECT_EQ(refused.fields.at("connection"), "close");
  EXPECT_TRUE(idle.closed());
  auto late = server.connect();
  const auto ready = late.get("/ready");
  EXPECT_EQ(ready.status, 503);
  EXPECT_EQ(ready.body, R"({"status":"draining"})");
  EXPECT_EQ(server.connect().get("/health").body, R"({"status":"draining"})");
  EXPECT_EQ(server.connect().post("/v1/completions", body("new", 5)).status, 503);
  const std::string rest = running.read_all();
  EXPECT_NE(rest.find("data: [DONE]"), std::string::npos);
  server.expect_idle();
}

class AppRun {
 public:
  explicit AppRun(Config config) : app_(config) {
    if (app_.open()) throw std::runtime_error("open");
    thread_ = std::thread([this] { exit_code_ = app_.run(); });
  }
  ~AppRun() {
    if (thread_.joinable()) thread_.join();
  }
  int wait() {
    thread_.join();
    return exit_code_;
  }
  void wait_until_ready() {
    for (int i = 0; i < 2000 && HttpClient(app_.port()).get("/ready").status != 200; ++i)
      std::this_thread::sleep_for(milliseconds(5));
  }
  App& app() { return app_; }

 private:
  App app_;
  std::thread thread_;
  int exit_code_ = -1;
};

Config fake_config(const std::string& spec) {
  Config config;
  config.model = spec;
  config.listen.port = 0;
  return config;
}

TEST(App, ServesAndEndsCleanly) {
  AppRun run(fake_config("fake:vocab=300"));
  run.wait_until_ready();
  EXPECT_EQ(HttpClient(run.app().port())
                .post("/v1/chat/completions", R"({"messages":[{"role":"user","content":"x"}],"max_tokens":3})")
                .status,
            200);
  run.app().request_stop();
  EXPECT_EQ(run.wait(), kExitClean);
}

TEST(App, WhatOutlivesTheDrainTimeoutGetsAnErrorFrame) {
  Config config = fake_config("fake:vocab=300,step_us=5000");
  config.server.drain_timeout = milliseconds(100);
  AppRun run(config);
  run.wait_until_ready();
  HttpClient client(run.app().port());
  client.send(post_request("/v1/completions", body("x", 5000, ",\"stream\":true")));
  (void)client.read_until("data: ");
  run.app().request_stop();
  const std::string rest = client.read_all();
  EXPECT_NE(rest.find("\"code\":\"server_shutdown\""), std::string::npos);
  EXPECT_EQ(rest.find("[DONE]"), std::string::npos);
  EXPECT_TRUE(rest.ends_with("0\r\n\r\n"));
  EXPECT_EQ(run.wait(), kExitClean);
}

TEST(App, AModelThatCannotBeLoadedIsExitCode2) {
  for (const char* model : {"fake:vocab=3", "fake:nonsense=1", "/nonexistent.gguf"}) {
    AppRun run(fake_config(model));
    EXPECT_EQ(run.wait(), kExitConfig) << model;
  }
}

TEST(App, APortThatIsTakenIsAnError) {
  AppRun first(fake_config("fake:vocab=300"));
  first.wait_until_ready();
  Config config = fake_config("fake:vocab=300");
  config.listen.port = first.app().port();
  App second(config);
  const auto error = second.open();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Errc::kConfig);
  first.app().request_stop();
  EXPECT_EQ(first.wait(), kExitClean);
}

TEST(App, ServesOnAUnixSocket) {
  const std::string path = "/tmp/mie_test_" + std::to_string(::getpid()) + ".sock";
  Config config = fake_config("fake:vocab=300");
  config.listen.unix_path = path;
  {
    AppRun run(config);
    EXPECT_EQ(::access(path.c_str(), F_OK), 0);
    std::this_thread::sleep_for(milliseconds(500));  // a stop before the load is done would end this process at once
    run.app().request_stop();
    EXPECT_EQ(run.wait(), kExitClean);
  }
  EXPECT_NE(::access(path.c_str(), F_OK), 0) << "the socket is removed";
}

// C1, C2, C7, C15, C16 after requests of every kind of end.
TEST(Counters, AddUpAfterAMixedRun) {
  TestServer server({.fake = {.n_vocab = 300, .eos = TokenId(2), .eos_per_mille = 20},
                     .faults = {{.step = 40, .kind = FakeFault::Kind::kModelStep}}});
  double n_posts = 0;
  double n_delivered = 0;
  for (int round = 0; round < 30; ++round) {
    auto client = server.connect();
    ++n_posts;
    switch (round % 6) {
      case 0:
        (void)client.post("/v1/completions", body("x", 20));
        break;
      case 1:
        (void)client.post("/v1/chat/completions",
                          R"({"messages":[{"role":"user","content":"q"}],"max_tokens":9,"stream":true})");
        break;
      case 2:
        (void)client.post("/v1/completions", "{");
        break;
      case 3:
        client.send(post_request("/v1/completions", body("y", 1500, ",\"stream\":true")));
        (void)client.read_until("data: ");
        client.close();
        break;
      case 4:
        (void)client.post("/v1/completions", R"({"prompt":["a","b","c"],"max_tokens":7,"stop":"k"})");
        break;
      case 5:
        (void)client.post("/v1/completions", body("z", 1500, ",\"timeout_ms\":3"));
        break;
      default:
        break;
    }
  }
  server.expect_idle();
  const auto metric = [&](const char* name) { return server.metric(name); };
  EXPECT_EQ(metric("mie_requests_received_total"), n_posts);
  EXPECT_EQ(metric("mie_requests_received_total"),
            metric("mie_requests_refused_total") + metric("mie_requests_accepted_total"));
  EXPECT_EQ(metric("mie_requests_accepted_total"), metric("mie_requests_ended_total"));
  EXPECT_EQ(metric("vllm:generation_tokens_total"),
            metric("mie_tokens_delivered_total") + metric("mie_tokens_discarded_total"));
  double n_http = 0;
  for (const auto& [name, value] : server.metrics()) {
    if (name.starts_with("http_requests_total{") && name.find("method=\"POST\"") != std::string::npos) n_http += value;
    if (name.starts_with("mie_requests_ended_total{outcome=\"complete\"")) n_delivered = value;
  }
  EXPECT_EQ(n_http, n_posts);
  EXPECT_GE(n_delivered, 14);
}

TEST(Counters, AddUpWithManyClientsAndSeveralIoThreads) {
  TestServerSetup setup{.fake = {.n_vocab = 300, .eos = TokenId(2)}};
  setup.config.io_threads = 3;
  TestServer server(setup);
  constexpr int kClients = 8, kRounds = 12;
  std::vector<std::thread> clients;
  for (int c = 0; c < kClients; ++c) {
    clients.emplace_back([&server, c] {
      for (int round = 0; round < kRounds; ++round) {
        auto client = server.connect();
        const std::string prompt = std::string(static_cast<std::size_t>(1 + c), 'p');
        if ((c + round) % 3 == 0) {
          client.send(post_request("/v1/completions", body(prompt, 1500, ",\"stream\":true")));
          (void)client.read_until("data: ");
          client.reset();
        } else if ((c + round) % 3 == 1) {
          std::string quoted;
          json::append_quoted(quoted, server.expected_text(prompt, 12));
          EXPECT_NE(client.post("/v1/completions", body(prompt, 12)).body.find("\"text\":" + quoted), std::string::npos);
        } else {
          EXPECT_EQ(client.post("/v1/completions", body(prompt, 12, ",\"stream\":true")).events().back(), "[DONE]");
        }
      }
    });
  }
  for (auto& client : clients) client.join();
  server.expect_idle();
  EXPECT_EQ(server.metric("mie_requests_received_total"), kClients * kRounds);
  EXPECT_EQ(server.metric("mie_requests_accepted_total"), kClients * kRounds);
  EXPECT_EQ(server.metric("mie_requests_ended_total{outcome=\"client_gone\"}"), kClients * kRounds / 3);
  EXPECT_EQ(server.metric("vllm:generation_tokens_total"),
            server.metric("mie_tokens_delivered_total") + server.metric("mie_tokens_discarded_total"));
}

}  // namespace
}  // namespace mie::test
