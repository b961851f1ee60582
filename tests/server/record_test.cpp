// The lines of a recording: everything that decides an answer reads back, and what is not a recording is refused.
#include "server/record/record_header.h"
#include "server/record/record_lines.h"

#include <gtest/gtest.h>

#include <sstream>

namespace mie::test {
namespace {

using Kind = RecordEvent::Kind;

TEST(Record, ARequestReadsBackToTheBit) {
  SamplingParams::Raw raw{.temperature = 0.1,
                          .top_p = 0.3,
                          .top_k = 17,
                          .min_p = 0.07,
                          .presence_penalty = -1.1,
                          .frequency_penalty = 1.9,
                          .repetition_penalty = 1.3,
                          .logit_bias = {{TokenId(4), 0.7F}, {TokenId(5), -100}},
                          .seed = 9'223'372'036'854'775'807U,
                          .n_top_logprobs = 5};
  Request request;
  request.prompt = {TokenId(1), TokenId(299)};
  request.sampling = SamplingParams::from(raw, 300).value();
  request.stop_ids = {TokenId(2)};
  request.max_tokens = 12;
  request.min_tokens = 3;
  request.arrival = Clock::time_point(std::chrono::nanoseconds(1'005));
  request.deadline = Clock::time_point(std::chrono::nanoseconds(9'000));
  request.priority = -4;
  request.cache_salt = "a \"salt\"";
  request.n_prompt_logprobs = 4;
  request.choice = 1;
  request.n_choices = 3;
  const RecordEvent event{.kind = Kind::kTaken,
                          .step = 8,
                          .id = RequestId(5),
                          .at = std::chrono::nanoseconds(77),
                          .request = std::make_shared<const Request>(request)};
  RecordHeader header{.version = "1", .commit = "c", .model_name = "m", .fingerprint = "f", .n_vocab = 300};
  header.n_blocks = header.block_size = 1;
  std::istringstream in(header_line(header) + "\n" + event_line(event, Clock::time_point(std::chrono::nanoseconds(1'000))) +
                        "\n{\"event\":\"tak");
  const Record record = read_record(in).value();
  ASSERT_EQ(record.events.size(), 1U);
  const RecordEvent& back = record.events[0];
  EXPECT_EQ(back.step, 8);
  EXPECT_EQ(back.id, RequestId(5));
  EXPECT_EQ(back.at.count(), 77);
  EXPECT_EQ(back.request->prompt, request.prompt);
  EXPECT_EQ(back.request->stop_ids, request.stop_ids);
  EXPECT_EQ(back.request->max_tokens, 12);
  EXPECT_EQ(back.request->min_tokens, 3);
  EXPECT_EQ(back.request->arrival.time_since_epoch().count(), 5);
  EXPECT_EQ(back.request->deadline->time_since_epoch().count(), 8'000);
  EXPECT_EQ(back.request->priority, -4);
  EXPECT_EQ(back.request->cache_salt, "a \"salt\"");
  EXPECT_EQ(back.request->n_prompt_logprobs, 4);
  EXPECT_EQ(back.request->choice, 1);
  EXPECT_EQ(back.request->n_choices, 3);
  const SamplingRow was = request.sampling.row(), is = back.request->sampling.row();
  EXPECT_EQ(is.temperature, was.temperature);
  EXPECT_EQ(is.top_p, was.top_p);
  EXPECT_EQ(is.top_k, 17);
  EXPECT_EQ(is.min_p, was.min_p);
  EXPECT_EQ(is.presence_penalty, was.presence_penalty);
  EXPECT_EQ(is.frequency_penalty, was.frequency_penalty);
  EXPECT_EQ(is.repetition_penalty, was.repetition_penalty);
  EXPECT_EQ(is.seed, was.seed);
  EXPECT_EQ(is.n_top_logprobs, 5);
  ASSERT_EQ(is.logit_bias.size(), 2U);
  EXPECT_EQ(is.logit_bias[0].token, TokenId(4));
  EXPECT_EQ(is.logit_bias[0].bias, 0.7F);
}

TEST(Record, SettingsComeBack) {
  Config config;
  config.model = "fake:vocab=300,step_us=100";
  config.kv_cache_memory_bytes = 12345;
  config.block_size = "8";
  config.max_num_seqs = 6;
  config.step_time = std::chrono::milliseconds(3);
  config.speculate = "ngram:3";
  config.chat_template = "a \"quoted\" \\ path";
  LoadedModel model;
  model.served.names = {"m"};
  model.served.max_model_len = 192;
  ConfigSources sources;
  sources.flags["sched"] = "static";
  add_recorded_settings(record_header(config, model), sources);
  const Config back = merge_config(sources).value().config;
  EXPECT_EQ(back.sched, "static");  // a flag stands above the recording
  config.sched = "static";
  config.max_model_len = 192;
  EXPECT_EQ(show_config(back), show_config(config));
}

TEST(Record, WhatIsNotARecordingIsNamedByItsLine) {
  const std::string head = header_line({.n_vocab = 300, .n_blocks = 1, .block_size = 1}) + "\n";
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "not a file of --record"},
      {"{\"mie_record\":2}\n", "line 1: not a file of --record"},
      {head + "{\"event\":\"gap\"}\n", "line 2: events are missing"},
      {head + "{\"event\":\"sneezed\",\"step\":1}\n", "line 2: event is not one"},
      {head + "{\"event\":\"planned\",\"step\":1,\"at_ns\":0,\"plan\":\"xyz\"}\n", "line 2: plan must be"},
      {head + "{\"event\":\"ended\",\"step\":1,\"id\":1,\"reason\":\"stop\",\"tokens\":[300]}\n", "line 2: tokens"},
      {head + "{\"event\":\"released\",\"step\":1,\"id\":1,\"at_ns\":1,\"outcome\":\"fine\",\"n_delivered\":1}\n",
       "line 2: outcome is not one"},
      {head + "{\"event\":\"taken\",\"step\":1,\"id\":1,\"at_ns\":1,\"arrival_ns\":1,\"prompt\":[]}\n",
       "line 2: prompt is empty"},
  };
  for (const auto& [text, message] : bad) {
    std::istringstream in(text);
    const auto record = read_record(in);
    ASSERT_TRUE(record.has_error()) << text;
    EXPECT_TRUE(record.error().message.starts_with(message)) << record.error().message;
  }
}

}  // namespace
}  // namespace mie::test
