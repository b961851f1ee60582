#include "server/api/answer_json.h"

#include "server/api/logprobs_json.h"
#include "tests/server/tiny_tokenizer.h"

#include <gtest/gtest.h>

#include <limits>

namespace mie::api {
namespace {

const test::TinyTokenizer& tokenizer() {
  static const test::TinyTokenizer kTokenizer({{"Par"}, {"is"}, {"."}, {"\xF0\x9F"}, {"is", TokenKind::kUserDefined}});
  return kTokenizer;
}

AnswerFrame frame(GenerationKind kind) {
  AnswerFrame frame;
  frame.kind = kind;
  frame.id = "id-1";
  frame.model = "M";
  frame.fingerprint = "mie-0";
  frame.created = 5;
  frame.tokenizer = &tokenizer();
  return frame;
}

TokenEntry entry(int id, float logprob, std::string bytes, std::int64_t offset, std::vector<TopLogprob> top = {}) {
  return {{TokenId(id), logprob, std::move(top)}, std::move(bytes), offset};
}

TEST(AnswerJson, ChatChunksHaveTheDocumentedShape) {
  const auto chat = frame(GenerationKind::kChat);
  const std::string head =
      R"({"id":"id-1","object":"chat.completion.chunk","created":5,"model":"M","system_fingerprint":"mie-0","choices":[)";
  EXPECT_EQ(role_chunk(chat, 0, {}),
            head + R"({"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]})");
  EXPECT_EQ(content_chunk(chat, 1, {"Par", {}}, {}),
            head + R"({"index":1,"delta":{"content":"Par"},"logprobs":null,"finish_reason":null}]})");
  EXPECT_EQ(finish_chunk(chat, 0, {}, {.finish_reason = "stop", .stop_reason = std::string("x")}, {}),
            head + R"({"index":0,"delta":{},"logprobs":null,"finish_reason":"stop","stop_reason":"x"}]})");
  EXPECT_EQ(
      usage_chunk(chat, {31, 3, 2}, {}),
      head +
          R"(],"usage":{"prompt_tokens":31,"completion_tokens":3,"total_tokens":34,"prompt_tokens_details":{"cached_tokens":2}}})");
}

TEST(AnswerJson, ChunksCarryUsageNullOrRunning) {
  auto chat = frame(GenerationKind::kChat);
  chat.include_usage = true;
  EXPECT_TRUE(role_chunk(chat, 0, {}).ends_with(R"("finish_reason":null}],"usage":null})"));
  EXPECT_TRUE(role_chunk(chat, 0, {.running_usage = Usage{2, 1, 0}}).find(R"("usage":{"prompt_tokens":2)") !=
              std::string::npos);
}

TEST(AnswerJson, CompletionChunksHaveText) {
  const auto legacy = frame(GenerationKind::kCompletion);
  EXPECT_EQ(
      content_chunk(legacy, 0, {"a", {}}, {}),
      R"({"id":"id-1","object":"text_completion","created":5,"model":"M","system_fingerprint":"mie-0","choices":[{"index":0,"text":"a","logprobs":null,"finish_reason":null}]})");
  EXPECT_TRUE(finish_chunk(legacy, 0, {}, {.finish_reason = "length", .stop_reason = {}}, {})
                  .ends_with(R"({"index":0,"text":"","logprobs":null,"finish_reason":"length","stop_reason":null}]})"));
}

TEST(AnswerJson, WholeChatAnswer) {
  const std::vector<ChoiceAnswer> choices = {{"Paris.", {}, {.finish_reason = "stop", .stop_reason = TokenId(2)}}};
  EXPECT_EQ(
      whole_answer(frame(GenerationKind::kChat), choices, {31, 3, 0}, {}),
      R"({"id":"id-1","object":"chat.completion","created":5,"model":"M","system_fingerprint":"mie-0","choices":[{"index":0,"message":{"role":"assistant","content":"Paris.","refusal":null},"logprobs":null,"finish_reason":"stop","stop_reason":2}],"usage":{"prompt_tokens":31,"completion_tokens":3,"total_tokens":34,"prompt_tokens_details":{"cached_tokens":0}}})");
}

TEST(AnswerJson, ChatLogprobs) {
  json::JsonWriter out;
  out.begin_object();
  const std::vector<TokenEntry> tokens = {entry(3, -0.25F, "\xF0\x9F", 0, {{TokenId(3), -0.25F}, {TokenId(2), -4.4F}})};
  write_chat_logprobs(out, tokenizer(), tokens);
  out.end_object();
  EXPECT_EQ(out.text(),
            R"({"logprobs":{"content":[{"token":"bytes:\\xf0\\x9f","logprob":-0.25,"bytes":[240,159],"top_logprobs":[)"
            R"({"token":"bytes:\\xf0\\x9f","logprob":-0.25,"bytes":[240,159]},{"token":".","logprob":-4.4,"bytes":[46]}]}]}})");
}

TEST(AnswerJson, LegacyLogprobsKeepTheChosenTokenAndTheMoreProbableOfTwoEqualTexts) {
  json::JsonWriter out;
  out.begin_object();
  const std::vector<TokenEntry> tokens = {entry(0, -9, "Par", 0, {{TokenId(1), -0.5F}, {TokenId(4), -1}}),
                                          entry(4, -1, "is", 3, {{TokenId(1), -0.5F}, {TokenId(2), -2}}), entry(2, -3, ".", 5)};
  write_completion_logprobs(out, tokenizer(), tokens);
  out.end_object();
  EXPECT_EQ(
      out.text(),
      R"({"logprobs":{"tokens":["Par","is","."],"token_logprobs":[-9,-1,-3],"top_logprobs":[{"is":-0.5,"Par":-9},{".":-2,"is":-1},{".":-3}],"text_offset":[0,3,5]}})");
}

TEST(AnswerJson, TheFirstTokenOfAPromptHasNoLogprob) {
  json::JsonWriter out;
  out.begin_object();
  std::vector<TokenEntry> tokens = {entry(0, 0, "", 0), entry(1, -1, "", 3, {{TokenId(2), -0.5F}}), entry(2, -3, ".", 5)};
  tokens[0].place = TokenPlace::kFirstOfPrompt;
  tokens[1].place = TokenPlace::kInPrompt;
  write_completion_logprobs(out, tokenizer(), tokens);
  out.end_object();
  EXPECT_EQ(
      out.text(),
      R"({"logprobs":{"tokens":["Par","is","."],"token_logprobs":[null,-1,-3],"top_logprobs":[null,{".":-0.5,"is":-1},{".":-3}],"text_offset":[0,3,5]}})");
  auto legacy = frame(GenerationKind::kCompletion);
  legacy.return_token_ids = true;
  EXPECT_NE(content_chunk(legacy, 0, {"Paris.", tokens}, {}).find(R"("token_ids":[2]})"), std::string::npos)
      << "ids of what was generated";
}

// As vLLM: the token itself, then the best ones in its place.
TEST(AnswerJson, PromptLogprobsStandInTheChoiceOrAtTheTop) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<Sampled> prompt = {
      {.token = TokenId(0), .top = {}},
      {.token = TokenId(1), .logprob = -1.5F, .top = {{TokenId(2), -0.25F}, {TokenId(1), -1.5F}}, .rank = 2},
      {.token = TokenId(3), .logprob = -inf, .top = {{TokenId(0), -0.5F}}, .rank = 5}};
  const std::string expected =
      R"("prompt_logprobs":[null,)"
      R"({"1":{"logprob":-1.5,"rank":2,"decoded_token":"is"},"2":{"logprob":-0.25,"rank":1,"decoded_token":"."}},)"
      R"({"3":{"logprob":-9999.0,"rank":5,"decoded_token":"bytes:\\xf0\\x9f"},"0":{"logprob":-0.5,"rank":1,"decoded_token":"Par"}}])";
  ChoiceAnswer choice{
      .text = "x", .tokens = {}, .end = {.finish_reason = "length", .stop_reason = {}}, .prompt_scores = prompt};
  const std::string completion = whole_answer(frame(GenerationKind::kCompletion), {&choice, 1}, {}, {});
  EXPECT_NE(completion.find(R"("stop_reason":null,)" + expected + "}]"), std::string::npos) << completion;
  const std::string chat = whole_answer(frame(GenerationKind::kChat), {&choice, 1}, {}, {});
  EXPECT_NE(chat.find("}]," + expected + R"(,"usage")"), std::string::npos) << chat;
  choice.prompt_scores = std::span(prompt).first(1);
  EXPECT_NE(whole_answer(frame(GenerationKind::kChat), {&choice, 1}, {}, {}).find(R"("prompt_logprobs":[null],)"),
            std::string::npos);
  choice.prompt_scores = {};
  EXPECT_EQ(whole_answer(frame(GenerationKind::kChat), {&choice, 1}, {}, {}).find("prompt_logprobs"), std::string::npos);
}

TEST(AnswerJson, MinusInfinityIsWrittenAsANumber) {
  json::JsonWriter out;
  out.begin_object();
  const std::vector<TokenEntry> tokens = {entry(0, -std::numeric_limits<float>::infinity(), "", 0), entry(0, -20000, "", 0)};
  write_completion_logprobs(out, tokenizer(), tokens);
  EXPECT_NE(out.text().find(R"("token_logprobs":[-9999.0,-9999.0])"), std::string::npos) << out.text();
}

TEST(AnswerJson, TokenIdsStandWhereDocumented) {
  auto chat = frame(GenerationKind::kChat);
  chat.return_token_ids = true;
  const std::vector<TokenId> prompt = {TokenId(7)};
  EXPECT_NE(role_chunk(chat, 0, {.prompt_ids = &prompt}).find(R"("prompt_token_ids":[7],"choices":)"), std::string::npos);
  EXPECT_NE(content_chunk(chat, 0, {"Par", {entry(0, 0, "Par", 0)}}, {}).find(R"("token_ids":[0]})"), std::string::npos);
  auto legacy = chat;
  legacy.kind = GenerationKind::kCompletion;
  EXPECT_NE(content_chunk(legacy, 0, {"Par", {entry(0, 0, "Par", 0)}}, {.prompt_ids = &prompt})
                .find(R"("token_ids":[0],"prompt_token_ids":[7]}])"),
            std::string::npos);
}

}  // namespace
}  // namespace mie::api
