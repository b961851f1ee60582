// Log-probabilities of prompts as clients get them: `echo` with `logprobs`, and `prompt_logprobs`. Over loopback, with the
// model that needs no weights and tells of every prompt what it must.
#include "tests/server/json_text.h"
#include "tests/server/test_server.h"

#include <gtest/gtest.h>

namespace mie::test {
namespace {

namespace dom = simdjson::dom;

const FakeOptions kModel{.n_vocab = 300, .eos = TokenId(2)};

std::vector<TokenId> byte_ids(std::string_view text) {
  std::vector<TokenId> ids;
  for (const char c : text) ids.emplace_back(static_cast<unsigned char>(c) + 3);
  return ids;
}

std::string list_of(const std::vector<TokenId>& ids) {
  std::string list;
  for (const TokenId id : ids) list += (list.empty() ? "[" : ",") + std::to_string(id.value());
  return list + "]";
}

// The four arrays of a completion's choice, of a whole answer or of one chunk after the other.
struct Arrays {
  std::vector<std::string> tokens;
  std::vector<std::optional<double>> logprobs;
  std::vector<std::optional<std::size_t>> n_best;
  std::vector<std::int64_t> offsets;

  void add(dom::element choice) {
    const dom::element from = choice["logprobs"];
    if (from.is_null()) return;
    for (const auto token : dom::array(from["tokens"])) tokens.emplace_back(std::string_view(token));
    for (const auto one : dom::array(from["token_logprobs"]))
      logprobs.push_back(one.is_null() ? std::nullopt : std::optional(double(one)));
    for (const auto one : dom::array(from["top_logprobs"]))
      n_best.push_back(one.is_null() ? std::nullopt : std::optional(dom::object(one).size()));
    for (const auto offset : dom::array(from["text_offset"])) offsets.emplace_back(offset);
  }
  friend bool operator==(const Arrays&, const Arrays&) = default;
};

Arrays arrays_of(dom::element choice) {
  Arrays arrays;
  arrays.add(choice);
  return arrays;
}

void expect_scores(const Arrays& arrays, const std::vector<TokenId>& prompt) {
  const auto scores = FakeRunner::expected_scores(kModel, prompt, 0);
  ASSERT_GE(arrays.logprobs.size(), prompt.size());
  EXPECT_FALSE(arrays.logprobs.front()) << "nothing comes before the first token";
  EXPECT_FALSE(arrays.n_best.front());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_FLOAT_EQ(static_cast<float>(arrays.logprobs[i + 1].value()), std::max(scores[i].logprob, -9999.0F)) << i;
  }
}

TEST(EchoWithLogprobs, ArraysCoverPromptAndCompletion) {
  TestServer server;
  auto client = server.connect();
  Json json(
      client
          .post("/v1/completions",
                R"({"prompt":"h\u00e9y","max_tokens":3,"temperature":0,"echo":true,"logprobs":2,"return_token_ids":true})")
          .body);
  const std::string generated = server.expected_text("h\xC3\xA9y", 3);
  EXPECT_EQ(json.text("/choices/0/text"), "h\xC3\xA9y" + generated);
  const Arrays arrays = arrays_of(json.root.at_pointer("/choices/0"));
  ASSERT_EQ(arrays.tokens.size(), 7U);
  EXPECT_EQ(std::vector(arrays.tokens.begin(), arrays.tokens.begin() + 4),
            (std::vector<std::string>{"h", "bytes:\\xc3", "bytes:\\xa9", "y"}));
  EXPECT_EQ(std::vector(arrays.offsets.begin(), arrays.offsets.begin() + 5), (std::vector<std::int64_t>{0, 1, 1, 2, 3}));
  expect_scores(arrays, byte_ids("h\xC3\xA9y"));
  for (std::size_t i = 1; i < 7; ++i) {
    EXPECT_GE(arrays.n_best[i].value(), 2U);
    EXPECT_LE(arrays.n_best[i].value(), 3U) << "the two best and the token itself";
  }
  EXPECT_EQ(dom::array(json.root.at_pointer("/choices/0/token_ids")).size(), 3U) << "what was generated";
  EXPECT_EQ(json.number("/usage/prompt_tokens"), 4);
  EXPECT_EQ(json.number("/usage/completion_tokens"), 3);
  EXPECT_EQ(json.number("/usage/prompt_tokens_details/cached_tokens"), 0);
  server.expect_idle();
}

TEST(EchoWithLogprobs, TheFirstChunkOfEachChoiceCarriesItsPrompt) {
  TestServer server;
  auto client = server.connect();
  for (const char* n : {"0", "1", "9"}) {
    const std::string body =
        R"({"prompt":["first one","\u20ac"],"temperature":0,"echo":true,"logprobs":1,"max_tokens":)" + std::string(n);
    Json whole(client.post("/v1/completions", body + "}").body);
    const auto streamed = client.post("/v1/completions", body + ",\"stream\":true}");
    ASSERT_EQ(streamed.status, 200);
    const std::string prompts[] = {"first one", "\xE2\x82\xAC"};
    std::string texts[2];
    Arrays joined[2];
    for (const auto& event : streamed.events()) {
      if (event == "[DONE]") continue;
      Json chunk(event);
      const auto index = static_cast<std::size_t>(chunk.number("/choices/0/index"));
      const std::string text = chunk.text("/choices/0/text");
      if (texts[index].empty()) {
        EXPECT_TRUE(text.starts_with(prompts[index])) << text;
        EXPECT_GE(dom::array(chunk.root.at_pointer("/choices/0/logprobs/tokens")).size(), prompts[index].size());
        EXPECT_TRUE(chunk.null("/choices/0/logprobs/token_logprobs/0"));
      }
      texts[index] += text;
      joined[index].add(chunk.root.at_pointer("/choices/0"));
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const dom::element choice = dom::array(whole.root.at_pointer("/choices")).at(i);
      EXPECT_EQ(texts[i], std::string(std::string_view(choice["text"]))) << n;
      EXPECT_EQ(joined[i], arrays_of(choice)) << n;
      expect_scores(joined[i], byte_ids(prompts[i]));
      EXPECT_EQ(joined[i].tokens.size(), prompts[i].size() + std::stoul(n));
    }
  }
  server.expect_idle();
}

TEST(EchoWithLogprobs, AloneGeneratesNothing) {
  TestServer server;
  Json json(server.connect().post("/v1/completions", R"({"prompt":"ping","max_tokens":0,"echo":true,"logprobs":1})").body);
  EXPECT_EQ(json.text("/choices/0/text"), "ping");
  EXPECT_EQ(json.text("/choices/0/finish_reason"), "length");
  EXPECT_EQ(json.number("/usage/completion_tokens"), 0);
  const Arrays arrays = arrays_of(json.root.at_pointer("/choices/0"));
  EXPECT_EQ(arrays.tokens, (std::vector<std::string>{"p", "i", "n", "g"}));
  expect_scores(arrays, byte_ids("ping"));
  server.expect_idle();
  EXPECT_EQ(server.metric("vllm:generation_tokens_total"), 0);
  EXPECT_EQ(server.metric("mie_tokens_delivered_total"), 0);
  EXPECT_EQ(server.metric("vllm:prompt_tokens_total"), 4);
}

TEST(EchoWithLogprobs, EosAsTheOneTokenHasItsEntry) {
  TestServer server;
  Json json(server.connect()
                .post("/v1/completions",
                      R"({"prompt":"ab","max_tokens":1,"echo":true,"logprobs":0,"temperature":0,"logit_bias":{"2":100}})")
                .body);
  EXPECT_EQ(json.text("/choices/0/finish_reason"), "stop");
  EXPECT_EQ(json.text("/choices/0/text"), "ab");
  const Arrays arrays = arrays_of(json.root.at_pointer("/choices/0"));
  EXPECT_EQ(arrays.tokens.size(), 3U);
  EXPECT_EQ(arrays.offsets, (std::vector<std::int64_t>{0, 1, 2}));
}

// Token 2 has no probability in this model.
TEST(EchoWithLogprobs, NoProbabilityIsANumberInJson) {
  TestServer server;
  const auto answer = server.connect().post(
      "/v1/completions",
      R"({"prompt":[100,2,101],"max_tokens":1,"echo":true,"logprobs":5,"top_k":1,"logit_bias":{"7":-100},"prompt_logprobs":1})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  Json json(answer.body);
  EXPECT_NE(answer.body.find(R"("token_logprobs":[null,-9999.0,)"), std::string::npos) << answer.body;
  EXPECT_NE(answer.body.find(R"({"2":{"logprob":-9999.0,"rank":300,)"), std::string::npos) << answer.body;
  EXPECT_EQ(json.text("/choices/0/text").substr(0, 2), "ab") << "the control token is hidden";
  EXPECT_EQ(answer.body.find("nf"), std::string::npos) << "no Infinity";
}

TEST(EchoWithLogprobs, PromptsInAListGetTheirSoloAnswers) {
  TestServer server;
  auto client = server.connect();
  const std::vector<std::vector<TokenId>> prompts = {byte_ids("one"), byte_ids("a longer second"), byte_ids("3")};
  const std::string more = R"(,"max_tokens":1,"temperature":0,"echo":true,"logprobs":1})";
  std::string all;
  for (const auto& prompt : prompts) all += (all.empty() ? "[" : ",") + list_of(prompt);
  Json together(client.post("/v1/completions", "{\"prompt\":" + all + "]" + more).body);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    Json alone(client.post("/v1/completions", "{\"prompt\":" + list_of(prompts[i]) + more).body);
    const dom::element choice = dom::array(together.root.at_pointer("/choices")).at(i);
    EXPECT_EQ(std::int64_t(choice["index"]), static_cast<std::int64_t>(i));
    EXPECT_EQ(arrays_of(choice), arrays_of(alone.root.at_pointer("/choices/0")));
    expect_scores(arrays_of(choice), prompts[i]);
  }
  server.expect_idle();
}

TEST(PromptLogprobs, HaveTheirOwnNumberOfBestTokens) {
  TestServer server;
  Json json(server.connect()
                .post("/v1/completions",
                      R"({"prompt":"abcd","max_tokens":2,"temperature":0,"prompt_logprobs":1,"echo":true,"logprobs":4})")
                .body);
  const auto scores = FakeRunner::expected_scores(kModel, byte_ids("abcd"), 1);
  const dom::array listed = json.root.at_pointer("/choices/0/prompt_logprobs");
  ASSERT_EQ(listed.size(), 4U);
  EXPECT_TRUE(listed.at(0).is_null());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const dom::object at(listed.at(i + 1));
    EXPECT_EQ(at.size(), scores[i].rank == 1 ? 1U : 2U);
    const dom::element own = at[std::to_string(scores[i].token.value())];
    EXPECT_FLOAT_EQ(static_cast<float>(double(own["logprob"])), scores[i].logprob);
    EXPECT_EQ(std::int64_t(own["rank"]), scores[i].rank);
    EXPECT_EQ(std::string_view(own["decoded_token"]), std::string(1, "abcd"[i + 1]));
    const dom::element best = at[std::to_string(scores[i].top.front().token.value())];
    EXPECT_EQ(std::int64_t(best["rank"]), 1);
    EXPECT_FLOAT_EQ(static_cast<float>(double(best["logprob"])), -0.5F);
  }
  EXPECT_GE(arrays_of(json.root.at_pointer("/choices/0")).n_best[1].value(), 4U);
}

TEST(PromptLogprobs, OfAChatStandAtTheTop) {
  TestServer server;
  auto client = server.connect();
  const std::string body = R"({"messages":[{"role":"user","content":"hi"}],"max_tokens":3,"temperature":0)";
  Json json(client.post("/v1/chat/completions", body + R"(,"prompt_logprobs":2,"return_token_ids":true})").body);
  Json plain(client.post("/v1/chat/completions", body + "}").body);
  EXPECT_EQ(json.text("/choices/0/message/content"), plain.text("/choices/0/message/content"));
  EXPECT_TRUE(json.null("/choices/0/logprobs"));
  EXPECT_FALSE(plain.has("/prompt_logprobs"));
  const dom::array listed = json.root.at_pointer("/prompt_logprobs");
  const dom::array ids = json.root.at_pointer("/prompt_token_ids");
  ASSERT_EQ(listed.size(), ids.size());
  EXPECT_TRUE(listed.at(0).is_null());
  for (std::size_t i = 1; i < ids.size(); ++i) {
    EXPECT_EQ(listed.at(i)[std::to_string(std::int64_t(ids.at(i)))].error(), simdjson::SUCCESS) << i;
  }
  server.expect_idle();
}

TEST(PromptLogprobs, AFailedStepIsAnError) {
  TestServer server({.faults = {{1, FakeFault::Kind::kNonFinite}}});
  auto client = server.connect();
  const std::string body = R"({"prompt":"abc","max_tokens":0,"echo":true,"logprobs":1})";
  EXPECT_EQ(client.post("/v1/completions", body).status, 200);
  EXPECT_EQ(client.post("/v1/completions", body).status, 500);
  EXPECT_EQ(client.post("/v1/completions", body).status, 200);
  server.expect_idle();
}

}  // namespace
}  // namespace mie::test
