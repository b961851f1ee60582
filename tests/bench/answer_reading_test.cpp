// Answers out of bytes: HTTP in any slices, server-sent events, and what their JSON says.
#include "bench/load/answer_framing.h"
#include "bench/load/event_reader.h"
#include "bench/load/sse_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mie::bench {
namespace {

using State = AnswerFraming::State;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

class Collected final : public AnswerFraming {
 public:
  using AnswerFraming::AnswerFraming;
  std::string body;
  int n_chunks = 0;

 private:
  void on_piece(std::string_view piece) override { body += piece; }
  void on_chunk() override { ++n_chunks; }
};

constexpr std::string_view kChunked =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    "6\r\ndata: \r\n3;x=y\r\n{}\n\r\n1\r\n\n\r\n0\r\n\r\n";

TEST(AnswerFraming, IsTheSameInAnySlices) {
  for (std::size_t slice = 1; slice <= kChunked.size(); ++slice) {
    std::string pending;
    Collected answer(pending);
    State state = State::kReading;
    for (std::size_t at = 0; at < kChunked.size(); at += slice) {
      ASSERT_EQ(state, State::kReading) << slice;
      state = answer.feed(kChunked.substr(at, slice));
    }
    EXPECT_EQ(state, State::kComplete) << slice;
    EXPECT_EQ(answer.body, "data: {}\n\n") << slice;
    EXPECT_EQ(answer.n_chunks, 3) << slice;
    EXPECT_TRUE(answer.reusable());
    EXPECT_EQ(answer.http_status(), 200);
  }
}

TEST(AnswerFraming, EveryPrefixIsIncomplete) {
  for (std::size_t n = 1; n < kChunked.size(); ++n) {
    std::string pending;
    Collected answer(pending);
    EXPECT_EQ(answer.feed(kChunked.substr(0, n)), State::kReading) << n;
    EXPECT_EQ(answer.close(), State::kBroken) << n;
  }
}

TEST(AnswerFraming, ALengthEndsABodyAndAnEmptyOneHasNone) {
  std::string pending;
  Collected answer(pending);
  EXPECT_EQ(answer.feed("HTTP/1.1 429 No\r\nContent-Length: 5\r\n\r\nfull"), State::kReading);
  EXPECT_EQ(answer.feed("!"), State::kComplete);
  EXPECT_EQ(answer.body, "full!");
  Collected empty(pending);
  EXPECT_EQ(empty.feed("HTTP/1.1 503 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), State::kComplete);
  EXPECT_FALSE(empty.reusable());
}

TEST(AnswerFraming, WithoutALengthTheCloseIsTheEnd) {
  std::string pending;
  Collected answer(pending);
  EXPECT_EQ(answer.feed("HTTP/1.0 200 OK\r\n\r\nall of "), State::kReading);
  EXPECT_EQ(answer.feed("it"), State::kReading);
  EXPECT_EQ(answer.close(), State::kComplete);
  EXPECT_EQ(answer.body, "all of it");
}

TEST(AnswerFraming, BytesAfterTheAnswerSpoilTheConnection) {
  std::string pending;
  Collected answer(pending);
  EXPECT_EQ(answer.feed(std::string(kChunked) + "HTTP/1.1 200 OK\r\n"), State::kComplete);
  EXPECT_FALSE(answer.reusable());
}

TEST(AnswerFraming, WhatIsNoHttpIsBroken) {
  for (const char* bytes : {"220 hello there\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    std::string pending;
    Collected answer(pending);
    EXPECT_EQ(answer.feed(bytes), State::kBroken) << bytes;
  }
}

std::vector<std::string> events_of(std::string_view text, std::size_t slice) {
  SseEvents sse;
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size(); at += slice)
    sse.feed(text.substr(at, slice), [&out](std::string_view event) { out.emplace_back(event); });
  return out;
}

TEST(SseEvents, CommentsFieldsAndBlankLinesAreNone) {
  const std::string_view text =
      ": ping\n\ndata: one\n\nevent: x\nid: 3\ndata:two\ndata:  three\r\n\r\n\n\nretry: 10\n\ndata:\n\ndata: cut";
  for (std::size_t slice = 1; slice <= text.size(); ++slice)
    EXPECT_THAT(events_of(text, slice), ElementsAre("one", "two\n three", "")) << slice;
}

TEST(EventReader, ReadsACompletionChunk) {
  EventReader reader;
  const EventFacts facts = reader.read(
      R"({"id":"x","choices":[{"index":0,"text":" a\u00e9","finish_reason":null,"token_ids":[5,6]}],"usage":null})");
  EXPECT_EQ(facts.kind, EventFacts::Kind::kAnswer);
  EXPECT_TRUE(facts.has_choice && facts.carries_text);
  EXPECT_EQ(facts.text, " aé");
  EXPECT_EQ(facts.n_token_ids, 2U);
  EXPECT_THAT(reader.token_ids(), ElementsAre(TokenId(5), TokenId(6)));
  EXPECT_EQ(facts.completion_tokens, std::nullopt);
}

TEST(EventReader, SeesWhichChunksBringAToken) {
  EventReader reader;
  const auto carries = [&reader](const char* choice) {
    return reader.read(std::string(R"({"choices":[)") + choice + "]}").carries_text;
  };
  EXPECT_TRUE(carries(R"({"delta":{"content":"x"},"finish_reason":null})"));
  EXPECT_TRUE(carries(R"({"delta":{"role":"assistant","content":"x"},"finish_reason":null})"));
  EXPECT_TRUE(carries(R"({"text":"","finish_reason":null})"));  // a token whose text is held back
  EXPECT_TRUE(carries(R"({"text":"x","finish_reason":"stop"})"));
  EXPECT_FALSE(carries(R"({"delta":{"role":"assistant","content":""},"finish_reason":null})"));
  EXPECT_FALSE(carries(R"({"delta":{},"finish_reason":"stop"})"));
  EXPECT_TRUE(carries(R"({"delta":{"content":null,"reasoning_content":"so"},"finish_reason":null})"));
  EXPECT_FALSE(carries(R"({"delta":{"role":"assistant","content":null},"finish_reason":null})"));
  EXPECT_FALSE(carries(R"({"text":"","finish_reason":"length"})"));
}

TEST(EventReader, ReadsUsage) {
  EventReader reader;
  const EventFacts facts = reader.read(
      R"({"choices":[],"usage":{"prompt_tokens":31,"completion_tokens":3,"total_tokens":34,"prompt_tokens_details":{"cached_tokens":16}}})");
  EXPECT_FALSE(facts.has_choice);
  EXPECT_EQ(facts.prompt_tokens, 31);
  EXPECT_EQ(facts.completion_tokens, 3);
  EXPECT_EQ(facts.cached_tokens, 16);
}

TEST(EventReader, ARunningCountInTimingsIsUsage) {
  EventReader reader;
  const EventFacts facts = reader.read(R"({"choices":[{"text":" a"}],"timings":{"prompt_n":4,"predicted_n":7}})");
  EXPECT_EQ(facts.completion_tokens, 7);
  EXPECT_EQ(reader.read(R"({"choices":[],"timings":{"accepted_ns":1}})").completion_tokens, std::nullopt);
}

TEST(EventReader, ReadsErrorsOfEveryShape) {
  EventReader reader;
  const EventFacts one = reader.read(R"({"error":{"message":"no","type":"t","param":null,"code":"model_error"}})");
  EXPECT_EQ(one.kind, EventFacts::Kind::kError);
  EXPECT_EQ(one.error, "no");
  EXPECT_EQ(one.error_code, "model_error");
  EXPECT_EQ(reader.read(R"({"error":"just so"})").error, "just so");
  const EventFacts old = reader.read(R"({"object":"error","message":"older","code":400})");
  EXPECT_EQ(old.kind, EventFacts::Kind::kError);
  EXPECT_EQ(old.error, "older");
  EXPECT_EQ(reader.read(R"({"error":{"code":500}})").kind, EventFacts::Kind::kError);
}

TEST(EventReader, WhatIsNotAnAnswerIsSaidToBeNone) {
  EventReader reader;
  for (const char* text : {"", "{", R"({"choices":[)", "x"})
    EXPECT_EQ(reader.read(text).kind, EventFacts::Kind::kBadJson) << text;
  for (const char* text :
       {"[]", "7", "{}", R"({"choices":{}})", R"({"choices":[7]})", R"({"choices":[{"text":7}]})",
        R"({"choices":[{"text":"x","token_ids":[-1]}]})", R"({"choices":[{"delta":[]}]})",
        R"({"choices":[],"usage":{"completion_tokens":"3"}})", R"({"choices":[],"usage":{"prompt_tokens":-3}})"})
    EXPECT_EQ(reader.read(text).kind, EventFacts::Kind::kBadContent) << text;
}

// The example of the server's interface.
TEST(EventReader, TakesTheServersOwnTimes) {
  EventReader reader;
  const EventFacts facts = reader.read(
      R"({"choices":[],"usage":{"prompt_tokens":31,"completion_tokens":9},"timings":{"accepted_ns":123456789012345,"parsed_ms":0.08,)"
      R"("tokenized_ms":0.31,"enqueued_ms":0.33,"admitted_ms":4.1,"prefill_start_ms":4.2,"prefill_end_ms":21.7,"first_token_ms":21.9,)"
      R"("first_write_ms":null,"last_token_ms":160.2,"finished_ms":160.3,"steps":9,"prefill_tokens":31,"cached_tokens":2,)"
      R"("preemptions":1,"max_batch":4,"length_cause":null}})");
  EXPECT_EQ(facts.completion_tokens, 9);
  ASSERT_TRUE(facts.server);
  EXPECT_EQ(facts.server->accepted_ns, 123456789012345);
  EXPECT_EQ(facts.server->at(ServerStamp::kParsed), 80'000);
  EXPECT_EQ(facts.server->at(ServerStamp::kAdmitted), 4'100'000);
  EXPECT_EQ(facts.server->at(ServerStamp::kFirstWrite), std::nullopt);
  EXPECT_EQ(facts.server->at(ServerStamp::kFinished), 160'300'000);
  EXPECT_EQ(facts.server->steps, 9);
  EXPECT_EQ(facts.server->prefill_tokens, 31);
  EXPECT_EQ(facts.server->cached_tokens, 2);
  EXPECT_EQ(facts.server->preemptions, 1);
  EXPECT_EQ(facts.server->max_batch, 4);
  EXPECT_FALSE(reader.read(R"({"choices":[],"timings":{"predicted_n":4}})").server) << "llama.cpp's are others";
}

EventFacts ids(std::size_t n) {
  EventFacts facts;
  facts.has_choice = true;
  facts.n_token_ids = n;
  return facts;
}

EventFacts text(std::optional<int> usage = {}, bool carries = true) {
  EventFacts facts;
  facts.has_choice = facts.carries_text = carries;
  facts.completion_tokens = usage;
  return facts;
}

TEST(TokenCount, TakesTheBestSourceThatThereIs) {
  TokenCount one;
  EXPECT_EQ(one.add(text()), 1);
  EXPECT_EQ(one.add(text()), 1);
  EXPECT_EQ(one.add(text(7, false)), 0);  // the last chunk's usage is of no event
  EXPECT_EQ(one.source(), TokenSource::kOnePerEvent);

  TokenCount usage;
  EXPECT_EQ(usage.add(text(1)), 1);
  EXPECT_EQ(usage.add(text(4)), 3);
  EXPECT_EQ(usage.add(text()), 0);
  EXPECT_EQ(usage.add(text(4)), 0);
  EXPECT_EQ(usage.source(), TokenSource::kUsage);
  EXPECT_EQ(usage.sum(), 4);

  TokenCount with_ids;
  EXPECT_EQ(with_ids.add(ids(2)), 2);
  EXPECT_EQ(with_ids.add(text(9)), 0);
  EXPECT_EQ(with_ids.add(ids(0)), 0);
  EXPECT_EQ(with_ids.source(), TokenSource::kTokenIds);
  EXPECT_EQ(with_ids.sum(), 2);
}

}  // namespace
}  // namespace mie::bench
