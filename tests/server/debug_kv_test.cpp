// GET /debug/kv: the numbers of a state made by hand, and of a server whose model is held in a step.
#include "server/api/debug_kv.h"

#include "tests/server/test_server.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>
#include <utility>
#include <vector>

namespace mie::test {
namespace {

SequenceRecord record(std::uint64_t id, SeqState state, std::vector<int> blocks) {
  SequenceRecord seq{.id = RequestId(id), .state = state};
  for (const int block : blocks) seq.blocks.emplace_back(block);
  return seq;
}

struct Idle {
  int n_free, n_cached;
};

EngineSnapshot pool_of_16s(Idle idle, std::vector<int> n_references) {
  EngineSnapshot snapshot;
  snapshot.block_size = 16;
  snapshot.n_free_blocks = idle.n_free;
  snapshot.n_cached_blocks = idle.n_cached;
  snapshot.n_references = std::move(n_references);
  return snapshot;
}

// Blocks of 16. A decodes (20 tokens in blocks 0, 1), B has computed 5 of its 40 prompt tokens (block 2), C was evicted, D is
// new; block 3 is owned by nobody and not free: kept for its content. 48 slots are reserved, 25 filled.
TEST(DebugKv, EveryNumberOfAState) {
  EngineSnapshot snapshot = pool_of_16s({4, 1}, {1, 1, 1, 0, 0, 0, 0, 0});
  SequenceRecord a = record(1, SeqState::kRunning, {0, 1}), b = record(2, SeqState::kRunning, {2});
  a.n_prompt = 18, a.n_total = 21, a.n_computed = 20;
  b.n_prompt = 40, b.n_total = 40, b.n_computed = 5;
  SequenceRecord c = record(3, SeqState::kWaiting, {}), d = record(4, SeqState::kWaiting, {});
  c.preempted = true, c.n_prompt = 7, c.n_total = 9;
  d.n_prompt = d.n_total = 3;
  snapshot.running = {a, b};
  snapshot.waiting = {c, d};
  EXPECT_EQ(api::debug_kv_body(snapshot),
            R"({"block_size":16,"blocks":{"total":8,"free":4,"used":3,"cached":1},"slots":{"reserved":48,"used":25},)"
            R"("utilisation":0.375,"waste":0.4791666666666667,"requests":[)"
            R"({"n":1,"state":"decode","prompt":18,"computed":20,"generated":3,"blocks":2},)"
            R"({"n":2,"state":"prefill","prompt":40,"computed":5,"generated":0,"blocks":1},)"
            R"({"n":3,"state":"preempted","prompt":7,"computed":0,"generated":2,"blocks":0},)"
            R"({"n":4,"state":"waiting","prompt":3,"computed":0,"generated":0,"blocks":0}]})");
}

// The prefix of 16 tokens is in one block for both: 48 slots reserved, 16 + 10 + 3 filled.
TEST(DebugKv, ASharedBlockCountsOnce) {
  EngineSnapshot snapshot = pool_of_16s({1, 0}, {2, 1, 1, 0});
  SequenceRecord a = record(1, SeqState::kRunning, {0, 1}), b = record(2, SeqState::kRunning, {0, 2});
  a.n_prompt = a.n_total = a.n_computed = 26;
  b.n_prompt = b.n_total = b.n_computed = 19;
  snapshot.running = {a, b};
  EXPECT_TRUE(api::debug_kv_body(snapshot).starts_with(
      R"({"block_size":16,"blocks":{"total":4,"free":1,"used":3,"cached":0},"slots":{"reserved":48,"used":29},)"
      R"("utilisation":0.75,)"));
}

TestServerSetup small_pool() {
  TestServerSetup setup;
  setup.config.block_size = "16";
  setup.config.max_model_len = 64;
  setup.config.kv_cache_memory_bytes = 8 * 16 * 4;  // the fake model's token takes 4 bytes: 8 blocks
  return setup;
}

TEST(DebugKv, AnIdleServerHoldsNothing) {
  TestServer server(small_pool());
  constexpr const char* kIdle =
      R"({"block_size":16,"blocks":{"total":8,"free":8,"used":0,"cached":0},"slots":{"reserved":0,"used":0},)"
      R"("utilisation":0,"waste":0,"requests":[]})";
  auto client = server.connect();
  const auto idle = client.get("/debug/kv");
  EXPECT_EQ(idle.status, 200);
  EXPECT_EQ(idle.fields.at("content-type"), "application/json");
  EXPECT_EQ(idle.body, kIdle);
  EXPECT_EQ(client.post("/v1/completions", R"({"prompt":"hello","max_tokens":40,"temperature":0})").status, 200);
  server.expect_idle();
  // 44 of its 45 tokens were computed: two full blocks are kept for those who begin in the same way.
  EXPECT_TRUE(
      client.get("/debug/kv").body.starts_with(R"({"block_size":16,"blocks":{"total":8,"free":6,"used":0,"cached":2},)"));
  client.send("POST /reset_prefix_cache HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read().status, 200);
  EXPECT_EQ(client.get("/debug/kv").body, kIdle);
  client.send("HEAD /debug/kv HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read(HttpClient::Expect::kHeadOnly).status, 200);
  EXPECT_EQ(client.post("/debug/kv", "{}").status, 405);
}

// Between two steps everything but the last sampled token is in the cache. "hello" is five tokens of the byte alphabet.
TEST(DebugKv, TheServerTellsWhatARunningRequestHolds) {
  TestServerSetup setup = small_pool();
  setup.fake.step_time = std::chrono::milliseconds(50);  // long enough to be met in the middle
  TestServer server(setup);
  auto client = server.connect();
  client.send(post_request("/v1/completions", R"({"prompt":"hello","max_tokens":50,"ignore_eos":true,"stream":true})"));
  client.read_until("data:");
  const std::string body = server.connect().get("/debug/kv").body;
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(body);
  const simdjson::dom::element seen = parser.parse(padded);
  const simdjson::dom::array requests = seen["requests"];
  ASSERT_EQ(requests.size(), 1U) << body;
  const auto request = requests.at(0);
  EXPECT_EQ(std::string_view(request["state"]), "decode");
  EXPECT_EQ(std::int64_t(request["prompt"]), 5);
  const std::int64_t generated = request["generated"], computed = 5 + generated - 1, blocks = (computed + 15) / 16;
  EXPECT_GE(generated, 1);
  EXPECT_EQ(std::int64_t(request["computed"]), computed);
  EXPECT_EQ(std::int64_t(request["blocks"]), blocks);
  EXPECT_EQ(std::int64_t(seen["blocks"]["used"]), blocks);
  EXPECT_EQ(std::int64_t(seen["blocks"]["free"]), 8 - blocks);
  EXPECT_EQ(std::int64_t(seen["slots"]["used"]), computed);
  client.close();
  server.expect_idle();
}

TEST(DebugKv, IsRefusedWhileTheModelLoads) {
  TestServer server({.loaded = false});
  EXPECT_EQ(server.connect().get("/debug/kv").status, 503);
}

}  // namespace
}  // namespace mie::test
