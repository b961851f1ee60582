#include "core/base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace mie {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::MatchesRegex;

class Log : public testing::Test {
 protected:
  Log() : file_(std::filesystem::path(testing::TempDir()) / ("log_" + std::to_string(::getpid()))) {}
  ~Log() override {
    configure_logging({});  // closes the file
    std::filesystem::remove(file_);
  }

  LogOptions to_file(const std::string& level, bool json = false) const {
    return {.level = level, .file = file_.string(), .json = json};
  }

  std::vector<std::string> lines() const {
    std::ifstream in(file_, std::ios::binary);
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }

 private:
  std::filesystem::path file_;
};

TEST_F(Log, WritesTimeLevelNameAndMessage) {
  configure_logging(to_file("info"));
  logger("engine")->info("request={} tokens={}", 17, 64);
  EXPECT_THAT(lines(),
              ElementsAre(MatchesRegex(
                  R"([0-9]+-[0-9]+-[0-9]+T[0-9]+:[0-9]+:[0-9]+\.[0-9]+[+-][0-9]+:[0-9]+ I engine: request=17 tokens=64)")));
}

TEST_F(Log, KeepsLinesBelowTheLevelOut) {
  configure_logging(to_file("warn"));
  logger("engine")->info("not this");
  logger("engine")->warn("this");
  logger("made_later")->debug("nor this");
  logger("made_later")->flush();
  EXPECT_THAT(lines(), ElementsAre(EndsWith("W engine: this")));
}

TEST_F(Log, OneMessageIsOneLineWhateverItHolds) {
  configure_logging(to_file("info"));
  logger("http")->info("path={}", "/a\nforged \"line\"\r\x1b[0m\x7f\\");
  EXPECT_THAT(lines(), ElementsAre(EndsWith(R"(http: path=/a\u000aforged "line"\u000d\u001b[0m\u007f\\)")));
}

TEST_F(Log, JsonLinesParseAndGiveTheMessageBack) {
  configure_logging(to_file("info", true));
  std::string every_byte;
  for (int byte = 0; byte < 0x80; ++byte) every_byte.push_back(static_cast<char>(byte));
  logger("http")->error("{}", every_byte);
  ASSERT_EQ(lines().size(), 1U);
  simdjson::dom::parser parser;
  const std::string line = lines()[0];
  const simdjson::dom::element entry = parser.parse(line);
  EXPECT_EQ(std::string_view(entry["level"]), "error");
  EXPECT_EQ(std::string_view(entry["logger"]), "http");
  EXPECT_EQ(std::string_view(entry["message"]), every_byte);
}

TEST_F(Log, TheSameNameIsTheSameLoggerFromEveryThread) {
  configure_logging(to_file("info"));
  constexpr int kThreads = 8;
  std::vector<std::shared_ptr<spdlog::logger>> seen(kThreads);
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&seen, i] {
        seen[static_cast<std::size_t>(i)] = logger("shared");
        seen[static_cast<std::size_t>(i)]->info("thread={}", i);
      });
    }
  }
  EXPECT_THAT(seen, testing::Each(logger("shared")));
  EXPECT_EQ(lines().size(), static_cast<std::size_t>(kThreads));
}

TEST_F(Log, AFileThatCannotBeOpenedIsReported) {
  EXPECT_THROW(configure_logging({.file = "/dev/null/log"}), spdlog::spdlog_ex);
}

}  // namespace
}  // namespace mie
