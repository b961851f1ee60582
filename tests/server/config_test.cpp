#include "server/config.h"
#include "server/config_values.h"
#include "server/kv_budget.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace mie {
namespace {

class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("mie_config_test_" + std::to_string(::getpid()) + ".toml")) {
    std::ofstream(path_) << text;
  }
  ~ConfigFile() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] std::string name() const { return path_.filename().string(); }

 private:
  std::filesystem::path path_;
};

std::string error_of(const ConfigSources& sources) {
  const auto merged = merge_config(sources);
  return merged.has_error() ? merged.error().message : "accepted";
}

TEST(Config, FlagBeatsEnvironmentBeatsFileBeatsDefault) {
  const ConfigFile file("port = 1\nmax_num_seqs = 2\nmax_queue = 3\n");
  const auto merged = merge_config({{{"port", "7"}}, {"MIE_PORT=5", "MIE_MAX_NUM_SEQS=6", "PATH=/x"}, file.path()});
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(merged->config.listen.port, 7);
  EXPECT_EQ(merged->config.max_num_seqs, 6);
  EXPECT_EQ(merged->config.max_queue, 3);
  EXPECT_EQ(merged->config.max_num_batched_tokens, 512);
  EXPECT_TRUE(merged->warnings.empty());
}

TEST(ConfigValues, Speculation) {
  EXPECT_EQ(parse_speculation("off"), 0);
  EXPECT_EQ(parse_speculation("ngram"), 4);
  EXPECT_EQ(parse_speculation("ngram:1"), 1);
  EXPECT_EQ(parse_speculation("ngram:7"), 7);
  for (const char* wrong : {"", "on", "ngram:", "ngram:0", "ngram:8", "ngram:-1", "ngram:2x", "ngrams"}) {
    EXPECT_EQ(parse_speculation(wrong), std::nullopt) << wrong;
  }
}

TEST(Config, ErrorsNameFileLineAndKey) {
  const auto in_file = [](const std::string& text) {
    const ConfigFile file(text);
    auto message = error_of({{}, {}, file.path()});
    const auto at = message.find(file.name());
    return at == std::string::npos ? message : message.replace(at, file.name().size(), "F");
  };
  EXPECT_EQ(in_file("port = 1\n\nprot = 2\n"), "F:3: prot is not a setting");
  EXPECT_EQ(in_file("port = \"1\"\n"), "F:1: port must be an integer");
  EXPECT_EQ(in_file("paranoid = 1\n"), "F:1: paranoid must be a boolean");
  EXPECT_EQ(in_file("model = 5\n"), "F:1: model must be a string");
  EXPECT_EQ(in_file("port = 70000\n"), "F:1: port must be an integer between 0 and 65535, got \"70000\"");
  EXPECT_EQ(in_file("drain_timeout = \"soon\"\n"),
            "F:1: drain_timeout must be a duration such as 500ms, 30s or 2m of at least 0ms, got \"soon\"");
  EXPECT_EQ(in_file("max-queue = 5\n"), "F:1: max-queue is not a setting");
  EXPECT_EQ(in_file("[server]\nport = 5\n"), "F:1: server is not a setting");
  EXPECT_EQ(in_file("a = 1\nport = \n").substr(0, 4), "F:2:") << "syntax";
  EXPECT_NE(error_of({{}, {}, "/nonexistent/x.toml"}).find("x.toml"), std::string::npos);
}

TEST(Config, ErrorsNameFlagOrVariable) {
  EXPECT_EQ(error_of({{{"sched", "fast"}}, {}, ""}),
            "--sched must be one of serial, static, continuous, chunked, got \"fast\"");
  EXPECT_EQ(error_of({{}, {"MIE_MAX_BODY=lots"}, ""}),
            "MIE_MAX_BODY must be a size such as 1024, 64KiB, 512MiB or 1GiB, got \"lots\"");
  EXPECT_EQ(error_of({{{"max-num-seqs", "0"}}, {}, ""}), "--max-num-seqs must be an integer between 1 and 65536, got \"0\"");
}

TEST(Config, AnUnknownVariableIsAWarning) {
  const auto merged = merge_config({{}, {"MIE_PROT=5", "MIE_ISA=scalar"}, ""});
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(merged->warnings, (std::vector<std::string>{"unknown variable MIE_PROT"}));
}

TEST(Config, WhatIsShownReadsBackTheSame) {
  ConfigSources sources;
  sources.flags = {{"model", "a \"b\"\\c"}, {"drain-timeout", "1500ms"}, {"max-body", "3MiB"},  {"kv-cache-memory", "1GiB"},
                   {"paranoid", "true"},    {"allowed-origins", "none"}, {"log-format", "json"}};
  const std::string shown = show_config(merge_config(sources)->config);
  const ConfigFile file(shown);
  const auto again = merge_config({{}, {}, file.path()});
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(show_config(again->config), shown);
  EXPECT_EQ(again->config.server.drain_timeout, std::chrono::milliseconds(1500));
  EXPECT_EQ(again->config.kv_cache_memory_bytes, 1 << 30);
  EXPECT_TRUE(again->config.server.allowed_origins.empty());
}

TEST(Config, AListenerBeyondThisMachineNeedsConsent) {
  Config config;
  config.model = "m";
  for (const char* host : {"127.0.0.1", "127.5.5.5", "::1", "localhost"}) {
    config.listen.host = host;
    EXPECT_FALSE(check_config(config)) << host;
  }
  for (const char* host : {"0.0.0.0", "::", "10.0.0.1"}) {
    config.listen.host = host;
    EXPECT_TRUE(check_config(config)) << host;
    config.insecure_no_auth = true;
    EXPECT_FALSE(check_config(config)) << host;
    config.insecure_no_auth = false;
  }
  config.listen.unix_path = "/tmp/x.sock";
  EXPECT_FALSE(check_config(config));
  config.model.clear();
  EXPECT_EQ(check_config(config)->message, "--model is required");
}

TEST(ConfigValues, Durations) {
  EXPECT_EQ(parse_duration("500ms"), std::chrono::milliseconds(500));
  EXPECT_EQ(parse_duration("30"), std::chrono::seconds(30));
  EXPECT_EQ(parse_duration("2m"), std::chrono::minutes(2));
  for (const char* bad : {"", "s", "-1s", "1.5s", "5 s", "5x", "99999999999999999999", "9223372036854775807h"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
  EXPECT_EQ(show_duration(std::chrono::milliseconds(1500)), "1500ms");
  EXPECT_EQ(show_duration(std::chrono::seconds(90)), "90s");
}

TEST(ConfigValues, Sizes) {
  EXPECT_EQ(parse_size("5"), 5);
  EXPECT_EQ(parse_size("2KiB"), 2048);
  EXPECT_EQ(parse_size("1GiB"), 1 << 30);
  for (const char* bad : {"", "KiB", "-1", "1KB", "1 KiB", "9999999999GiB"}) EXPECT_FALSE(parse_size(bad)) << bad;
  EXPECT_EQ(show_size(3 << 20), "3MiB");
  EXPECT_EQ(show_size(1025), "1025");
}

TEST(ConfigValues, ListsOfCores) {
  EXPECT_EQ(parse_core_list("3"), std::vector<int>({3}));
  EXPECT_EQ(parse_core_list("1,0,12"), std::vector<int>({1, 0, 12}));
  for (const char* bad : {"", ",", "1,", ",1", "0,0", "a", "-1", "1 2", "0-3", "99999999999"}) {
    EXPECT_FALSE(parse_core_list(bad)) << bad;
  }
}

// Hand-computed: 2 · 1 layer · 1 head · 1 dim · 2 bytes = 4 bytes a token.
constexpr PageLayout kShape = {.n_layers = 1, .n_kv_heads = 1, .head_dim = 1, .element_bytes = 2};

TEST(KvBudget, AutomaticTakesFullContextsAtMost) {
  Config config;
  config.max_num_seqs = 4;
  const auto plan = plan_kv(config, 100, kShape, KvTouch::kAtStart, 1 << 20);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->block_size, 32);
  EXPECT_EQ(plan->n_blocks, 4 * 4) << "100 tokens are 4 blocks of 32";
  EXPECT_EQ(plan->max_model_len, 100);
  EXPECT_FALSE(plan->lowered);
}

TEST(KvBudget, AutomaticTakesHalfOfWhatIsFreeAndTwoGibibytesUnlessAContextIsMore) {
  Config config;
  config.block_size = "8";
  KvTouch touch = KvTouch::kAtStart;
  const auto n_blocks = [&](const PageLayout& shape, int context, std::int64_t free_bytes) {
    return plan_kv(config, context, shape, touch, free_bytes)->n_blocks;
  };
  EXPECT_EQ(n_blocks(kShape, 1 << 20, 64 * 32), 32) << "blocks of 8 tokens take 32 bytes";
  const PageLayout mebibyte = {.n_layers = 1, .n_kv_heads = 1, .head_dim = 1 << 16, .element_bytes = 1};  // a block of 8 tokens
  EXPECT_EQ(n_blocks(mebibyte, 8000, std::int64_t{1} << 40), 2048);
  EXPECT_EQ(n_blocks(mebibyte, 80'000, std::int64_t{1} << 40), 10'000) << "one context";
  touch = KvTouch::kOnUse;  // pages that are never written cost nothing
  EXPECT_EQ(n_blocks(mebibyte, 8000, std::int64_t{8} << 30), 4096);
}

TEST(KvBudget, LittleMemoryLowersTheLengthUnlessItWasAskedFor) {
  Config config;
  config.kv_cache_memory_bytes = 4 * 32 * 2;  // two blocks
  const auto plan = plan_kv(config, 100, kShape, KvTouch::kAtStart, 1 << 20);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->n_blocks, 2);
  EXPECT_EQ(plan->max_model_len, 64);
  EXPECT_TRUE(plan->lowered);
  config.max_model_len = 80;
  EXPECT_TRUE(plan_kv(config, 100, kShape, KvTouch::kAtStart, 1 << 20).has_error());
  config.max_model_len = 101;
  EXPECT_NE(plan_kv(config, 100, kShape, KvTouch::kAtStart, 1 << 20).error().message.find("above the model's context"),
            std::string::npos);
}

TEST(KvBudget, TheContiguousBaselineHasOneBlockASequence) {
  Config config;
  config.block_size = "max";
  config.max_num_seqs = 3;
  const auto plan = plan_kv(config, 100, kShape, KvTouch::kAtStart, 1 << 20);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->block_size, 100);
  EXPECT_EQ(plan->n_blocks, 3);
}

TEST(KvBudget, NoRoomForABlockIsAnError) {
  Config config;
  EXPECT_TRUE(plan_kv(config, 100, kShape, KvTouch::kAtStart, 255).has_error()) << "a block takes 128 bytes";
  config.block_size = "7";
  EXPECT_TRUE(plan_kv(config, 100, kShape, KvTouch::kAtStart, 1 << 20).has_error());
}

}  // namespace
}  // namespace mie
