// What is sent, and what is written about it.
#include "bench/load/request_bytes.h"
#include "bench/load/request_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <simdjson.h>

#include <sstream>

namespace mie::bench {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ServerAddress server() {
  ServerAddress out;
  out.host = "127.0.0.1:8000";
  out.prefix = "/base";
  return out;
}

PlannedRequest request_of_ids() {
  PlannedRequest one;
  one.prompt = {TokenId(5), TokenId(6)};
  one.output_tokens = 9;
  one.seed = 2026;
  return one;
}

std::string body_of(const std::string& bytes) { return bytes.substr(bytes.find("\r\n\r\n") + 4); }

TEST(RequestBytes, HeadAndBodyOfACompletion) {
  LoadSettings settings;
  settings.model = "M";
  settings.headers = {{"Authorization", "Bearer key"}};
  settings.deadline = 1500us;
  settings.members = {{"cache_salt", R"("s")"}, {"n", "1"}};
  const std::string bytes = request_bytes(request_of_ids(), settings, server());
  const std::string body = body_of(bytes);
  EXPECT_THAT(bytes, StartsWith("POST /base/v1/completions HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"));
  EXPECT_THAT(bytes, HasSubstr("\r\nAuthorization: Bearer key\r\n"));
  EXPECT_THAT(bytes, HasSubstr("\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n{"));
  EXPECT_THAT(bytes, Not(HasSubstr("Connection:")));
  EXPECT_EQ(
      body,
      R"({"model":"M","prompt":[5,6],"max_tokens":9,"min_tokens":9,"ignore_eos":true,"seed":2026,"temperature":0,"top_p":1,)"
      R"("top_k":0,"min_p":0,"repetition_penalty":1,"presence_penalty":0,"frequency_penalty":0,"stream":true,)"
      R"("stream_options":{"include_usage":true},"timeout_ms":2,"cache_salt":"s","n":1})");
}

TEST(RequestBytes, ChatWithEverythingElseTheOtherWay) {
  PlannedRequest one = request_of_ids();
  one.prompt.clear();
  one.text = "say \"hi\"";
  LoadSettings settings;
  settings.endpoint = Endpoint::kChat;
  settings.model = "M";
  settings.exact = settings.ignore_eos = settings.keepalive = false;
  settings.sampling.logprobs = 2;
  settings.stream = {.enabled = false, .include_usage = true, .continuous_usage = true, .token_ids = true};
  const std::string bytes = request_bytes(one, settings, server());
  EXPECT_THAT(bytes, StartsWith("POST /base/v1/chat/completions HTTP/1.1\r\n"));
  EXPECT_THAT(bytes, HasSubstr("\r\nConnection: close\r\n"));
  const std::string body = body_of(bytes);
  EXPECT_THAT(body, HasSubstr(R"("messages":[{"role":"user","content":"say \"hi\""}])"));
  EXPECT_THAT(body, HasSubstr(R"("logprobs":true,"top_logprobs":2)"));
  EXPECT_THAT(body, HasSubstr(R"("return_token_ids":true,"stream":false)"));
  for (const char* absent : {"min_tokens", "ignore_eos", "stream_options", "timeout_ms"})
    EXPECT_THAT(body, Not(HasSubstr(absent)));
}

RequestRecord full_record() {
  RequestRecord record;
  record.index = 42;
  record.arm = "b";
  record.repetition = 2;
  record.warmup = true;
  record.session = 3;
  record.turn = 1;
  record.seed = 7;
  record.status = RequestStatus::deadline_server;
  record.http_status = 504;
  record.finish_reason = "length";
  record.retry_after_s = 2.5;
  record.error = "said \"no\"";
  record.requested_output = 9;
  record.prompt_tokens = 31;
  record.cached_tokens = 16;
  record.output_tokens = 2;
  record.intended_ns = 1;
  record.send_ns = 2;
  record.sent_ns = 3;
  record.status_ns = 4;
  record.first_event_ns = 5;
  record.events = {{6, 1}, {7, 3}};
  record.end_ns = 8;
  ServerTimes server{.accepted_ns = 3, .steps = 9, .prefill_tokens = 15, .cached_tokens = 16, .preemptions = 1, .max_batch = 4};
  server.stamps[static_cast<std::size_t>(ServerStamp::kFirstToken)] = 5;
  record.server = server;
  record.connection = 11;
  record.bytes_in = 1000;
  record.bytes_out = 200;
  record.coalesced = 1;
  record.tokens = {TokenId(1), TokenId(258)};
  return record;
}

TEST(RequestLines, AreReadBackAsTheyWere) {
  const std::vector<RequestRecord> written = {full_record(), RequestRecord{}};
  std::istringstream in(request_lines(written));
  const auto lines = read_request_lines(in);
  ASSERT_TRUE(lines.has_value()) << lines.error().message;
  ASSERT_EQ(lines->size(), 2U);
  EXPECT_EQ((*lines)[0].id, "req-00042");
  const auto but_for_the_hash = [](const RequestRecord& record) {
    const std::string line = request_line(record);
    return line.substr(0, line.find("\"token_hash\""));
  };
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(but_for_the_hash((*lines)[i].record), but_for_the_hash(written[i]));
  const RequestRecord& read = (*lines)[0].record;
  EXPECT_EQ(read.status, RequestStatus::deadline_server);
  EXPECT_EQ(read.events.at(1).tokens, 3);
  EXPECT_EQ(read.events.at(1).at_ns, 7);
  EXPECT_EQ(read.retry_after_s, 2.5);
  EXPECT_EQ(read.error, "said \"no\"");
  EXPECT_EQ((*lines)[1].record.send_ns, std::nullopt);
  EXPECT_EQ(read.server.value().at(ServerStamp::kFirstToken), 5);
  EXPECT_FALSE(read.server->at(ServerStamp::kFinished));
  EXPECT_EQ(read.server->max_batch, 4);
}

TEST(RequestLines, HaveTheNamesThatTheAnalysisReads) {
  simdjson::dom::parser parser;
  simdjson::dom::object line;
  const std::string text = request_line(full_record());
  ASSERT_EQ(parser.parse(text).get(line), simdjson::SUCCESS);
  std::vector<std::string> names;
  for (const auto [name, value] : line) names.emplace_back(name);
  EXPECT_THAT(names, testing::ElementsAre("id", "index", "arm", "repetition", "warmup", "seed", "session", "turn", "status",
                                          "http_status", "finish_reason", "prompt_tokens", "cached_tokens", "output_tokens",
                                          "requested_output", "intended_ns", "send_ns", "sent_ns", "status_ns",
                                          "first_event_ns", "events", "end_ns", "server", "connection", "bytes_in", "bytes_out",
                                          "coalesced", "error", "retry_after_s", "token_hash", "text"));
}

TEST(RequestLines, WhatDidNotHappenIsNull) {
  RequestRecord record;
  record.status = RequestStatus::not_sent;
  EXPECT_EQ(
      request_line(record),
      R"({"id":"req-00000","index":0,"arm":null,"repetition":0,"warmup":false,"seed":0,"session":0,"turn":0,"status":"not_sent","http_status":null,)"
      R"("finish_reason":null,"prompt_tokens":null,"cached_tokens":null,"output_tokens":null,"requested_output":0,)"
      R"("intended_ns":0,"send_ns":null,"sent_ns":null,"status_ns":null,"first_event_ns":null,"events":[],"end_ns":null,"server":null,)"
      R"("connection":null,"bytes_in":0,"bytes_out":0,"coalesced":0,"error":null,"retry_after_s":null,"token_hash":null,"text":null})"
      "\n");
}

TEST(RequestLines, TheHashIsOfTheIdsAsLittleEndianWords) {
  // sha256 of 01 00 00 00 02 01 00 00, and of "abc" where there are no ids (FIPS 180-4's example).
  EXPECT_THAT(request_line(full_record()),
              HasSubstr(R"("token_hash":"fb8bbe2ad3ab5292f19bc5d75bbab9b5fbddc5a78ce47ab41b2d3d59bca08596")"));
  RequestRecord text;
  text.text = "abc";
  EXPECT_THAT(request_line(text), HasSubstr("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
}

TEST(RequestLines, ADamagedLineIsRefused) {
  for (const char* text : {"{}\n", "{\"seed\":1,\"status\":\"fine\",\"intended_ns\":0}\n", "nothing\n"}) {
    std::istringstream in(text);
    EXPECT_TRUE(read_request_lines(in).has_error()) << text;
  }
}

}  // namespace
}  // namespace mie::bench
