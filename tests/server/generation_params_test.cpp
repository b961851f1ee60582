// Every field of a request against the tables of the interface.
// Long because it is those tables, row by row.
#include "server/api/generation_params.h"

#include <gtest/gtest.h>

namespace mie::api {
namespace {

constexpr ParamLimits kLimits = {.n_vocab = 1000};

Result<GenerationBody> parse(GenerationKind kind, const std::string& body) {
  auto document = json::RequestDocument::parse(body);
  if (document.has_error()) return document.error();
  return parse_generation(kind, *document, kLimits, {"M", "other"});
}

// A good request with one more member.
Result<GenerationBody> completion(const std::string& members) {
  return parse(GenerationKind::kCompletion, R"({"prompt":"hi",)" + members + "}");
}
Result<GenerationBody> chat(const std::string& members) {
  return parse(GenerationKind::kChat, R"({"messages":[{"role":"user","content":"hi"}],)" + members + "}");
}
Result<GenerationBody> messages(const std::string& list) {
  return parse(GenerationKind::kChat, R"({"messages":)" + list + "}");
}

struct Refusal {
  Errc code;
  std::string param;
  friend bool operator==(const Refusal&, const Refusal&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Refusal& r) {
    return out << static_cast<int>(r.code) << " " << r.param;
  }
};
Refusal refusal(const Result<GenerationBody>& result) {
  if (!result.has_error()) return {Errc::kInternal, "accepted"};
  return {result.error().code, result.error().param};
}

constexpr Errc kType = Errc::kInvalidType;
constexpr Errc kValue = Errc::kInvalidValue;
constexpr Errc kUnsupported = Errc::kUnsupportedParameter;

TEST(GenerationParams, DefaultsAreTheDocumentedOnes) {
  const auto body = parse(GenerationKind::kCompletion, R"({"prompt":"hi"})");
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(body->params.max_tokens, 16);
  EXPECT_TRUE(body->params.add_special_tokens);
  EXPECT_EQ(body->params.sampling.temperature, 1);
  EXPECT_EQ(body->params.sampling.n_top_logprobs, -1);
  EXPECT_TRUE(body->params.skip_special);
  const auto talk = messages(R"([{"role":"user","content":"x"}])");
  ASSERT_TRUE(talk.has_value());
  EXPECT_EQ(talk->params.max_tokens, std::nullopt);
  EXPECT_FALSE(talk->params.add_special_tokens);
  EXPECT_TRUE(talk->params.add_generation_prompt);
}

TEST(GenerationParams, NullIsAbsentForEveryField) {
  std::string all;
  for (const char* name : {"model",
                           "max_tokens",
                           "max_completion_tokens",
                           "min_tokens",
                           "n",
                           "best_of",
                           "echo",
                           "add_special_tokens",
                           "add_generation_prompt",
                           "continue_final_message",
                           "chat_template_kwargs",
                           "temperature",
                           "top_p",
                           "top_k",
                           "min_p",
                           "presence_penalty",
                           "frequency_penalty",
                           "repetition_penalty",
                           "logit_bias",
                           "seed",
                           "stop",
                           "stop_token_ids",
                           "include_stop_str_in_output",
                           "ignore_eos",
                           "skip_special_tokens",
                           "logprobs",
                           "prompt_logprobs",
                           "top_logprobs",
                           "return_token_ids",
                           "stream",
                           "include_timings",
                           "stream_options",
                           "timeout_ms",
                           "request_id",
                           "rid",
                           "cache_salt",
                           "response_format",
                           "tools",
                           "tool_choice",
                           "guided_json",
                           "priority",
                           "suffix",
                           "user"}) {
    all += '"' + std::string(name) + "\":null,";
  }
  all.pop_back();
  EXPECT_TRUE(chat(all).has_value());
  EXPECT_TRUE(completion(all).has_value());
  EXPECT_EQ(refusal(parse(GenerationKind::kCompletion, R"({"prompt":null})")), (Refusal{Errc::kMissingParameter, "prompt"}));
  EXPECT_EQ(refusal(messages("null")), (Refusal{Errc::kMissingParameter, "messages"}));
}

// Each scalar field × {string, number, boolean, list, object}: 200 where the table says so, else invalid_type with its name.
TEST(GenerationParams, WrongTypesAreNamed) {
  struct Field {
    const char* name;
    enum { kInteger, kNumber, kBoolean, kString } type;
  };
  const Field fields[] = {{"max_tokens", Field::kInteger},
                          {"max_completion_tokens", Field::kInteger},
                          {"min_tokens", Field::kInteger},
                          {"n", Field::kInteger},
                          {"temperature", Field::kNumber},
                          {"top_p", Field::kNumber},
                          {"top_k", Field::kInteger},
                          {"min_p", Field::kNumber},
                          {"presence_penalty", Field::kNumber},
                          {"frequency_penalty", Field::kNumber},
                          {"repetition_penalty", Field::kNumber},
                          {"seed", Field::kInteger},
                          {"include_stop_str_in_output", Field::kBoolean},
                          {"ignore_eos", Field::kBoolean},
                          {"skip_special_tokens", Field::kBoolean},
                          {"spaces_between_special_tokens", Field::kBoolean},
                          {"return_token_ids", Field::kBoolean},
                          {"stream", Field::kBoolean},
                          {"include_timings", Field::kBoolean},
                          {"timeout_ms", Field::kInteger},
                          {"request_id", Field::kString},
                          {"rid", Field::kString},
                          {"cache_salt", Field::kString},
                          {"add_special_tokens", Field::kBoolean},
                          {"add_generation_prompt", Field::kBoolean},
                          {"continue_final_message", Field::kBoolean},
                          {"model", Field::kString}};
  for (const Field& field : fields) {
    const auto with = [&](const char* value) { return refusal(chat('"' + std::string(field.name) + "\":" + value)); };
    const Refusal wrong{kType, field.name};
    for (const char* value : {"[]", "{}", "[1]"}) EXPECT_EQ(with(value), wrong) << field.name << value;
    if (field.type != Field::kString) EXPECT_EQ(with("\"1\""), wrong) << field.name;
    if (field.type != Field::kBoolean) EXPECT_EQ(with("true"), wrong) << field.name;
    if (field.type == Field::kBoolean || field.type == Field::kString) EXPECT_EQ(with("1"), wrong) << field.name;
    if (field.type == Field::kInteger) {
      for (const char* value : {"5.0", "1e2", "1.5"}) EXPECT_EQ(with(value), wrong) << field.name << value;
    }
  }
}

TEST(GenerationParams, SamplingRanges) {
  for (const char* bad : {"\"temperature\":-1", "\"temperature\":2.01", "\"temperature\":3"})
    EXPECT_EQ(refusal(chat(bad)), (Refusal{kValue, "temperature"})) << bad;
  for (const char* bad : {"\"top_p\":-0.1", "\"top_p\":1.1"}) EXPECT_EQ(refusal(chat(bad)), (Refusal{kValue, "top_p"}));
  EXPECT_EQ(refusal(chat("\"min_p\":2")), (Refusal{kValue, "min_p"}));
  EXPECT_EQ(refusal(chat("\"frequency_penalty\":99")), (Refusal{kValue, "frequency_penalty"}));
  EXPECT_EQ(refusal(chat("\"repetition_penalty\":0")), (Refusal{kValue, "repetition_penalty"}));
  EXPECT_EQ(refusal(chat("\"top_k\":-2")), (Refusal{kValue, "top_k"}));
  for (const char* good : {"\"temperature\":5e-324", "\"temperature\":2", "\"top_p\":0", "\"top_k\":-1", "\"top_k\":0",
                           "\"top_k\":2147483648", "\"repetition_penalty\":1e-3"}) {
    EXPECT_TRUE(chat(good).has_value()) << good;
  }
  EXPECT_EQ(chat("\"temperature\":3").error().message, "temperature must be between 0 and 2, got 3");
}

TEST(GenerationParams, Seeds) {
  for (const char* bad : {"-1", "9223372036854775808", "123456789012345678901"}) {
    EXPECT_EQ(refusal(chat("\"seed\":" + std::string(bad))), (Refusal{kValue, "seed"})) << bad;
  }
  EXPECT_EQ(refusal(chat("\"seed\":1.5")), (Refusal{kType, "seed"}));
  const auto most = chat("\"seed\":9223372036854775807");
  ASSERT_TRUE(most.has_value());
  EXPECT_EQ(most->params.sampling.seed, 9223372036854775807U);
  EXPECT_TRUE(most->params.has_seed);
}

TEST(GenerationParams, Lengths) {
  for (const char* bad : {"-1", "0"})
    EXPECT_EQ(refusal(chat("\"max_tokens\":" + std::string(bad))), (Refusal{kValue, "max_tokens"})) << bad;
  EXPECT_EQ(refusal(chat("\"max_tokens\":1e18")), (Refusal{kType, "max_tokens"}));
  EXPECT_TRUE(chat("\"max_tokens\":9223372036854775807").has_value()) << "the context is compared later";
  EXPECT_EQ(refusal(completion("\"max_tokens\":0")), (Refusal{kValue, "max_tokens"}));
  EXPECT_TRUE(completion("\"max_tokens\":0,\"echo\":true").has_value());
  EXPECT_EQ(chat("\"max_tokens\":3,\"max_completion_tokens\":5")->params.max_tokens, 5);
  EXPECT_EQ(refusal(chat("\"max_tokens\":-3,\"max_completion_tokens\":5")), (Refusal{kValue, "max_tokens"}))
      << "both are checked";
  for (const char* bad : {"-1", "17", "9223372036854775808"})
    EXPECT_EQ(refusal(completion("\"min_tokens\":" + std::string(bad))), (Refusal{kValue, "min_tokens"})) << bad;
}

TEST(GenerationParams, Choices) {
  for (const char* bad : {"0", "-1", "17", "1000000"})
    EXPECT_EQ(refusal(completion("\"n\":" + std::string(bad))), (Refusal{kValue, "n"})) << bad;
  EXPECT_TRUE(completion("\"n\":1,\"best_of\":1").has_value());
  EXPECT_EQ(refusal(completion("\"best_of\":2")), (Refusal{kUnsupported, "best_of"}));
  EXPECT_EQ(completion("\"n\":16,\"best_of\":16")->params.n, 16);
  EXPECT_TRUE(parse(GenerationKind::kCompletion, R"({"prompt":["a","b","c","d"],"n":16})").has_value());
  EXPECT_EQ(refusal(parse(GenerationKind::kCompletion, R"({"prompt":["a","b","c","d","e"],"n":13})")), (Refusal{kValue, "n"}));
  std::string many = "[\"a\"";
  for (int i = 0; i < 64; ++i) many += ",\"a\"";
  EXPECT_EQ(refusal(parse(GenerationKind::kCompletion, "{\"prompt\":" + many + "]}")), (Refusal{kValue, "prompt"}));
}

TEST(GenerationParams, PriorityIsReadWhereTheServerHasPriorities) {
  ParamLimits limits = kLimits;
  limits.priorities = true;
  const auto priority = [&](const std::string& value) {
    const auto document = json::RequestDocument::parse("{\"prompt\":\"a\",\"priority\":" + value + "}");
    return parse_generation(GenerationKind::kCompletion, *document, limits, {"M"});
  };
  EXPECT_EQ(priority("-7")->params.priority, -7);
  EXPECT_EQ(refusal(priority("1001")), (Refusal{kValue, "priority"}));
  EXPECT_EQ(refusal(priority("1.5")), (Refusal{kType, "priority"}));
  EXPECT_EQ(completion("\"priority\":0")->params.priority, 0) << "asks for nothing";
  EXPECT_EQ(refusal(completion("\"priority\":1")), (Refusal{kUnsupported, "priority"}));
}

TEST(GenerationParams, Logprobs) {
  EXPECT_EQ(refusal(completion("\"logprobs\":true")), (Refusal{kType, "logprobs"}));
  for (const char* bad : {"-1", "21", "49152"})
    EXPECT_EQ(refusal(completion("\"logprobs\":" + std::string(bad))), (Refusal{kValue, "logprobs"}));
  EXPECT_EQ(completion("\"logprobs\":0")->params.sampling.n_top_logprobs, 0);
  EXPECT_EQ(refusal(chat("\"logprobs\":true,\"top_logprobs\":21")), (Refusal{kValue, "top_logprobs"}));
  EXPECT_EQ(refusal(chat("\"logprobs\":true,\"top_logprobs\":true")), (Refusal{kType, "top_logprobs"}));
  EXPECT_EQ(refusal(chat("\"top_logprobs\":2")), (Refusal{kValue, "top_logprobs"}));
  EXPECT_EQ(chat("\"logprobs\":true")->params.sampling.n_top_logprobs, 0);
  EXPECT_EQ(chat("\"logprobs\":true,\"top_logprobs\":3")->params.sampling.n_top_logprobs, 3);
  const auto echoed = completion("\"echo\":true,\"logprobs\":1");
  ASSERT_TRUE(echoed.has_value());
  EXPECT_TRUE(echoed->params.echo);
  EXPECT_EQ(echoed->params.sampling.n_top_logprobs, 1);
  EXPECT_EQ(refusal(chat("\"echo\":true")), (Refusal{kUnsupported, "echo"}));
}

TEST(GenerationParams, PromptLogprobs) {
  for (const auto& ask : {completion, chat}) {
    EXPECT_EQ(ask("\"prompt_logprobs\":0")->params.prompt_logprobs, 0);
    EXPECT_EQ(ask("\"prompt_logprobs\":20")->params.prompt_logprobs, 20);
    EXPECT_EQ(ask("\"prompt_logprobs\":null")->params.prompt_logprobs, std::nullopt);
    for (const char* bad : {"-1", "21", "49152"})
      EXPECT_EQ(refusal(ask("\"prompt_logprobs\":" + std::string(bad))), (Refusal{kValue, "prompt_logprobs"}));
    for (const char* bad : {"true", "1.0", "\"1\"", "[]"})
      EXPECT_EQ(refusal(ask("\"prompt_logprobs\":" + std::string(bad))), (Refusal{kType, "prompt_logprobs"}));
    EXPECT_EQ(refusal(ask("\"prompt_logprobs\":1,\"stream\":true")), (Refusal{kValue, "prompt_logprobs"}));
    EXPECT_TRUE(ask("\"prompt_logprobs\":1,\"stream\":false").has_value());
  }
}

TEST(GenerationParams, LogitBias) {
  for (const char* key : {"-1", "1000", "999999", "abc", "1.0", "01", "+1", "", " 1"}) {
    EXPECT_EQ(refusal(chat("\"logit_bias\":{\"" + std::string(key) + "\":1}")).code, kValue) << key;
  }
  EXPECT_EQ(refusal(chat(R"("logit_bias":{"17":1e9})")), (Refusal{kValue, "logit_bias.17"}));
  EXPECT_EQ(refusal(chat(R"("logit_bias":{"17":101})")), (Refusal{kValue, "logit_bias.17"}));
  EXPECT_EQ(refusal(chat(R"("logit_bias":{"17":null})")), (Refusal{kType, "logit_bias.17"}));
  EXPECT_EQ(refusal(chat(R"("logit_bias":{"17":true})")), (Refusal{kType, "logit_bias.17"}));
  EXPECT_EQ(refusal(chat(R"("logit_bias":[])")), (Refusal{kType, "logit_bias"}));
  const auto good = chat(R"("logit_bias":{"0":-100,"999":100})");
  ASSERT_TRUE(good.has_value());
  EXPECT_EQ(good->params.sampling.logit_bias.size(), 2U);
  std::string many;
  for (int i = 0; i < 1025; ++i) many += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":1";
  EXPECT_EQ(refusal(chat("\"logit_bias\":{" + many + "}")), (Refusal{kValue, "logit_bias"}));
}

TEST(GenerationParams, Stops) {
  EXPECT_EQ(refusal(chat(R"("stop":"")")), (Refusal{kValue, "stop"}));
  EXPECT_EQ(refusal(chat(R"("stop":["","x"])")), (Refusal{kValue, "stop[0]"}));
  EXPECT_EQ(refusal(chat(R"("stop":["x",""])")), (Refusal{kValue, "stop[1]"}));
  EXPECT_EQ(refusal(chat("\"stop\":13")), (Refusal{kType, "stop"}));
  EXPECT_EQ(refusal(chat("\"stop\":[13]")), (Refusal{kType, "stop[0]"}));
  EXPECT_TRUE(chat("\"stop\":[]").has_value());
  EXPECT_TRUE(chat("\"stop\":\"" + std::string(1024, 'a') + "\"").has_value());
  EXPECT_EQ(refusal(chat("\"stop\":\"" + std::string(1025, 'a') + "\"")), (Refusal{kValue, "stop"}));
  std::string many = "\"a\"";
  for (int i = 0; i < 16; ++i) many += ",\"a\"";
  EXPECT_EQ(refusal(chat("\"stop\":[" + many + "]")), (Refusal{kValue, "stop"}));
  EXPECT_EQ(refusal(chat("\"stop_token_ids\":[1,99999999]")), (Refusal{kValue, "stop_token_ids[1]"}));
  EXPECT_EQ(refusal(chat("\"stop_token_ids\":[-1]")), (Refusal{kValue, "stop_token_ids[0]"}));
  EXPECT_EQ(refusal(chat("\"stop_token_ids\":3")), (Refusal{kType, "stop_token_ids"}));
}

TEST(GenerationParams, StreamOptions) {
  EXPECT_EQ(refusal(chat(R"("stream_options":{"include_usage":true})")), (Refusal{kValue, "stream_options"}));
  EXPECT_EQ(refusal(chat(R"("stream":true,"stream_options":{"include_usage":1})")),
            (Refusal{kType, "stream_options.include_usage"}));
  EXPECT_EQ(refusal(chat(R"("stream":true,"stream_options":{"continuous_usage_stats":true})")),
            (Refusal{kValue, "stream_options.continuous_usage_stats"}));
  const auto good = chat(R"("stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true,"other":5})");
  ASSERT_TRUE(good.has_value());
  EXPECT_TRUE(good->params.include_usage && good->params.continuous_usage);
}

TEST(GenerationParams, ServiceFields) {
  for (const char* bad : {"0", "-1"})
    EXPECT_EQ(refusal(chat("\"timeout_ms\":" + std::string(bad))), (Refusal{kValue, "timeout_ms"}));
  EXPECT_EQ(refusal(chat("\"timeout_ms\":1.5")), (Refusal{kType, "timeout_ms"}));
  EXPECT_EQ(refusal(chat(R"("request_id":"a b")")), (Refusal{kValue, "request_id"}));
  EXPECT_EQ(refusal(chat(R"("rid":"")")), (Refusal{kValue, "rid"}));
  EXPECT_EQ(chat(R"("rid":"abc.1_-")")->params.request_id, "abc.1_-");
  EXPECT_EQ(refusal(chat(R"("cache_salt":"")")), (Refusal{kValue, "cache_salt"}));
  EXPECT_TRUE(chat(R"("response_format":{"type":"text"})").has_value());
  EXPECT_EQ(refusal(chat(R"("response_format":{"type":"json_object"})")),
            (Refusal{Errc::kUnsupportedValue, "response_format.type"}));
  EXPECT_EQ(refusal(chat(R"("response_format":{})")), (Refusal{Errc::kMissingParameter, "response_format.type"}));
  EXPECT_EQ(refusal(chat(R"("response_format":"text")")), (Refusal{kType, "response_format"}));
}

TEST(GenerationParams, UnknownFieldsOfAnyTypeAreIgnored) {
  for (const char* value : {"1", "\"x\"", "true", "[1,{\"a\":null}]", "{\"b\":[]}"}) {
    EXPECT_TRUE(chat("\"zzz_unknown\":" + std::string(value)).has_value()) << value;
  }
  EXPECT_TRUE(
      chat(
          R"("user":5,"metadata":{"a":1},"store":true,"service_tier":"auto","parallel_tool_calls":false,"safety_identifier":"x")")
          .has_value());
}

TEST(GenerationParams, NamesOfCapabilitiesThatAreNotOfferedAreRefusedUnlessNeutral) {
  struct Row {
    const char* name;
    const char* active;
    const char* neutral;  // null and [] and {} besides
  };
  const Row rows[] = {{"structured_outputs", "{\"a\":1}", "{}"},
                      {"guided_regex", "\"foo**\"", "null"},
                      {"grammar", "\"(\"", "null"},
                      {"json_schema", "{\"a\":1}", "null"},
                      {"tools", "[{\"type\":\"function\"}]", "[]"},
                      {"tool_choice", "\"required\"", "\"auto\""},
                      {"tool_choice", "{\"type\":\"function\"}", "\"none\""},
                      {"functions", "[1]", "[]"},
                      {"function_call", "\"x\"", "\"none\""},
                      {"modalities", "[\"audio\"]", "[\"text\"]"},
                      {"modalities", "[\"text\",\"audio\"]", "null"},
                      {"audio", "{\"voice\":\"x\"}", "{}"},
                      {"reasoning_effort", "\"high\"", "\"none\""},
                      {"verbosity", "\"low\"", "\"medium\""},
                      {"thinking", "true", "null"},
                      {"use_beam_search", "true", "false"},
                      {"length_penalty", "2", "1"},
                      {"early_stopping", "true", "false"},
                      {"suffix", "\"x\"", "\"\""},
                      {"typical_p", "0.5", "1"},
                      {"top_a", "0.1", "0"},
                      {"tfs_z", "0.9", "1.0"},
                      {"top_n_sigma", "1", "-1"},
                      {"top_n_sigma", "2", "0"},
                      {"xtc_probability", "0.5", "0.0"},
                      {"mirostat", "2", "0"},
                      {"samplers", "[\"top_k\"]", "[]"},
                      {"allowed_token_ids", "[1]", "[]"},
                      {"bad_words", "[\"x\"]", "[]"},
                      {"return_tokens_as_token_ids", "true", "false"},
                      {"n_probs", "5", "0"},
                      {"truncate_prompt_tokens", "5", "null"},
                      {"context_shift", "true", "false"},
                      {"n_keep", "-1", "0"},
                      {"chat_template", "\"x\"", "null"},
                      {"stream_interval", "2", "1"},
                      {"lora", "[1]", "[]"},
                      {"cache_prompt", "false", "true"},
                      {"background", "true", "false"},
                      {"max_new_tokens", "5", "null"},
                      {"n_predict", "5", "null"},
                      {"repeat_penalty", "1.1", "1"},
                      {"no_stop_trim", "true", "false"},
                      {"t_max_predict_ms", "5", "null"}};
  for (const Row& row : rows) {
    const std::string field = '"' + std::string(row.name) + "\":";
    EXPECT_EQ(refusal(chat(field + row.active)), (Refusal{kUnsupported, row.name})) << row.active;
    EXPECT_EQ(refusal(completion(field + row.active)), (Refusal{kUnsupported, row.name})) << row.active;
    EXPECT_TRUE(chat(field + row.neutral).has_value()) << row.name << row.neutral;
    EXPECT_TRUE(completion(field + "[]").has_value()) << row.name;
  }
  EXPECT_EQ(chat("\"max_new_tokens\":5").error().message,
            "max_new_tokens asks for the name of another interface, which this server does not offer; use max_tokens");
}

TEST(GenerationParams, OfSeveralBadFieldsTheFirstInTableOrderIsNamed) {
  EXPECT_EQ(refusal(chat(R"("top_p":"x","temperature":9)")).param, "temperature");
  EXPECT_EQ(refusal(chat(R"("top_p":9,"temperature":"x")")).param, "temperature");
  EXPECT_EQ(refusal(chat(R"("guided_json":"x","stop":5,"max_tokens":0)")).param, "max_tokens");
  EXPECT_EQ(refusal(chat(R"("guided_json":"x","stop":5)")).param, "stop");
  EXPECT_EQ(refusal(chat(R"("model":"nope","guided_json":"x")")).param, "guided_json");
  EXPECT_EQ(refusal(parse(GenerationKind::kChat, R"({"model":"nope","messages":[null]})")),
            (Refusal{Errc::kModelNotFound, "model"}));
}

TEST(GenerationParams, ModelNames) {
  EXPECT_TRUE(chat(R"("model":"other")").has_value());
  for (const char* name : {"../../x", "M/../M", "M%00", "m"})
    EXPECT_EQ(refusal(chat("\"model\":\"" + std::string(name) + "\"")), (Refusal{Errc::kModelNotFound, "model"})) << name;
  EXPECT_EQ(refusal(chat("\"model\":\"" + std::string(1 << 20, 'a') + "\"")), (Refusal{kValue, "model"}));
}

TEST(Prompts, TheFourShapes) {
  const auto prompts = [](const std::string& json) { return parse(GenerationKind::kCompletion, "{\"prompt\":" + json + "}"); };
  EXPECT_EQ(prompts("\"a\"")->prompts.size(), 1U);
  EXPECT_EQ(prompts("[\"a\",\"b\"]")->prompts.size(), 2U);
  EXPECT_EQ(std::get<1>(prompts("[1,2,3]")->prompts.at(0)).size(), 3U);
  EXPECT_EQ(prompts("[[1],[2,3]]")->prompts.size(), 2U);
  EXPECT_EQ(refusal(prompts("[]")), (Refusal{kValue, "prompt"}));
  EXPECT_EQ(refusal(prompts("{}")), (Refusal{kType, "prompt"}));
  EXPECT_EQ(refusal(prompts("5")), (Refusal{kType, "prompt"}));
  EXPECT_EQ(refusal(prompts("[\"a\",5]")), (Refusal{kType, "prompt[1]"}));
  EXPECT_EQ(refusal(prompts("[1,\"a\"]")), (Refusal{kType, "prompt[1]"}));
  EXPECT_EQ(refusal(prompts("[[1],\"a\"]")), (Refusal{kType, "prompt[1]"}));
  EXPECT_EQ(refusal(prompts("[-1]")), (Refusal{kValue, "prompt[0]"}));
  EXPECT_EQ(refusal(prompts("[1000]")), (Refusal{kValue, "prompt[0]"}));
  EXPECT_EQ(refusal(prompts("[5279552648203111001]")), (Refusal{kValue, "prompt[0]"}));
  EXPECT_EQ(refusal(prompts("[1.0]")), (Refusal{kType, "prompt[0]"}));
  EXPECT_EQ(refusal(prompts("[true]")), (Refusal{kType, "prompt[0]"}));
  EXPECT_EQ(refusal(prompts("[[0],[1,2,3,-4]]")), (Refusal{kValue, "prompt[1][3]"}));
}

TEST(Messages, ShapesThatAreRefused) {
  const auto refused = [](const char* list) { return refusal(messages(list)); };
  EXPECT_EQ(refused("[]"), (Refusal{kValue, "messages"}));
  EXPECT_EQ(refused("{}"), (Refusal{kType, "messages"}));
  EXPECT_EQ(refused("[null]"), (Refusal{kType, "messages[0]"}));
  EXPECT_EQ(refused(R"([{"role":5,"content":"x"}])"), (Refusal{kType, "messages[0].role"}));
  EXPECT_EQ(refused(R"([{"content":"x"}])"), (Refusal{Errc::kMissingParameter, "messages[0].role"}));
  EXPECT_EQ(refused(R"([{"role":"alien","content":"x"}])"), (Refusal{kValue, "messages[0].role"}));
  EXPECT_EQ(refused(R"([{"role":"user","content":"x"},{"role":"user","content":null}])"),
            (Refusal{Errc::kMissingParameter, "messages[1].content"}));
  EXPECT_EQ(refused(R"([{"role":"user"}])"), (Refusal{Errc::kMissingParameter, "messages[0].content"}));
  EXPECT_EQ(refused(R"([{"role":"user","content":5}])"), (Refusal{kType, "messages[0].content"}));
  EXPECT_EQ(refused(R"([{"role":"user","content":[]}])"), (Refusal{kValue, "messages[0].content"}));
  EXPECT_EQ(refused(R"([{"role":"user","content":["x"]}])"), (Refusal{kType, "messages[0].content[0]"}));
  EXPECT_EQ(refused(R"([{"role":"user","content":[{"type":"text"}]}])"),
            (Refusal{Errc::kMissingParameter, "messages[0].content[0].text"}));
  EXPECT_EQ(
      refused(
          R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"http://x"}}]}])"),
      (Refusal{Errc::kUnsupportedValue, "messages[0].content[1].type"}));
  EXPECT_EQ(refused(R"([{"role":"tool","content":"x"}])"), (Refusal{Errc::kMissingParameter, "messages[0].tool_call_id"}));
  EXPECT_EQ(refused(R"([{"role":"assistant","content":null,"tool_calls":[{"type":"function"}]}])"),
            (Refusal{Errc::kMissingParameter, "messages[0].tool_calls[0].function"}));
  EXPECT_EQ(refused(R"([{"role":"assistant","content":null,"tool_calls":[{"function":{"name":5}}]}])"),
            (Refusal{kType, "messages[0].tool_calls[0].function.name"}));
  EXPECT_EQ(refused(R"([{"role":"assistant","content":null}])"), (Refusal{Errc::kMissingParameter, "messages[0].content"}));
}

TEST(Messages, ShapesThatAreTaken) {
  EXPECT_TRUE(messages(R"([{"role":"user","content":""}])").has_value());
  EXPECT_TRUE(
      messages(
          R"([{"role":"developer","content":"x"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"refusal":null,"zzz":5}])")
          .has_value());
  EXPECT_TRUE(
      messages(
          R"([{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"b\":1,\"a\":2}"}}]},{"role":"tool","tool_call_id":"1","content":"r"}])")
          .has_value());
}

TEST(Messages, ContinuingNeedsAnAssistantAtTheEnd) {
  const std::string user = R"({"messages":[{"role":"user","content":"x"}],"continue_final_message":true)";
  EXPECT_EQ(refusal(parse(GenerationKind::kChat, user + "}")), (Refusal{kValue, "continue_final_message"}));
  const std::string assistant = R"({"messages":[{"role":"assistant","content":"x"}],"continue_final_message":true)";
  const auto good = parse(GenerationKind::kChat, assistant + "}");
  ASSERT_TRUE(good.has_value());
  EXPECT_FALSE(good->params.add_generation_prompt);
  EXPECT_EQ(refusal(parse(GenerationKind::kChat, assistant + ",\"add_generation_prompt\":true}")),
            (Refusal{kValue, "add_generation_prompt"}));
}

TEST(Messages, KwargsMayNotShadowTheTemplatesOwnNames) {
  EXPECT_EQ(refusal(chat(R"("chat_template_kwargs":{"messages":[]})")), (Refusal{kValue, "chat_template_kwargs.messages"}));
  EXPECT_EQ(refusal(chat(R"("chat_template_kwargs":{"tokenize":true})")), (Refusal{kValue, "chat_template_kwargs.tokenize"}));
  EXPECT_EQ(chat(R"("chat_template_kwargs":{"enable_thinking":false})")->params.template_kwargs.size(), 1U);
}

}  // namespace
}  // namespace mie::api
