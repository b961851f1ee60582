// What is in prompts: ids within their range, beginnings that are shared and beginnings that are not, turns, texts, files.
#include "tests/bench/workload/specs.h"

#include <algorithm>
#include <map>
#include <set>

namespace mie::bench {
namespace {

std::string load(int count, const std::string& more = "") {
  return "requests = { count = " + std::to_string(count) +
         " }\narrival = { law = \"burst\" }\noutput = { length = { dist = \"fixed\", value = 4 } }\n" + more;
}

std::vector<std::vector<TokenId>> prompts_of(const std::string& text, const std::filesystem::path& folder = ".") {
  std::vector<std::vector<TokenId>> prompts;
  for (const PlannedRequest& request : expanded(good(text), folder).requests) prompts.push_back(request.prompt);
  return prompts;
}

std::size_t common(const std::vector<TokenId>& a, const std::vector<TokenId>& b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

TEST(Prompts, RandomIdsFillTheirRange) {
  std::map<int, int> counts;
  for (const auto& prompt : prompts_of(spec_text(load(400),
                                                 "length = { dist = \"fixed\", value = 50 }\n"
                                                 "content = { kind = \"random_ids\", vocab_min = 100, vocab_max = 119 }"))) {
    for (const TokenId token : prompt) ++counts[token.value()];
  }
  EXPECT_EQ(counts.begin()->first, 100);
  EXPECT_EQ(counts.rbegin()->first, 119);
  EXPECT_EQ(counts.size(), 20U);
  for (const auto& [id, count] : counts) EXPECT_NEAR(count, 1000, 125) << id;  // 4 standard deviations
}

TEST(Prompts, SaltedBeginningsAllDiffer) {
  std::set<std::vector<TokenId>> beginnings;
  for (const auto& prompt :
       prompts_of(spec_text(load(500, "warmup = { requests = 20 }"),
                            "length = { dist = \"fixed\", value = 16 }\ncontent = { kind = \"repeat_id\", id = 5, "
                            "vocab_min = 10, vocab_max = 25, unique_salt = true }"))) {
    beginnings.insert({prompt.begin(), prompt.begin() + 8});
    EXPECT_EQ(prompt.back(), TokenId(5));
  }
  EXPECT_EQ(beginnings.size(), 520U);
}

TEST(Prompts, ASharedPrefixStandsBeforeThePromptsOwn) {
  const auto prompts = prompts_of(spec_text(load(3, "prefix = { kind = \"shared\", len = 100 }\nwarmup = { requests = 1 }")));
  ASSERT_EQ(prompts.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(prompts[i].size(), 108U);
    EXPECT_EQ(common(prompts[0], prompts[i]), 100U);
  }
}

TEST(Prompts, GroupsShareAmongThemselves) {
  const auto prompts =
      prompts_of(spec_text(load(12, "prefix = { kind = \"groups\", n = 2, prompts_per_group = 3, prefix_len = 40 }")));
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_EQ(common(prompts[i], prompts[j]), i / 3 % 2 == j / 3 % 2 ? 40U : 0U) << i << " " << j;
  }
}

// Of Zipf's law with s = 1 over three groups: 6/11, 3/11, 2/11.
TEST(Prompts, ZipfGroupsHaveTheirShares) {
  std::map<TokenId, int> sizes;
  for (const auto& prompt :
       prompts_of(spec_text(load(2000, "prefix = { kind = \"zipf_groups\", n = 3, s = 1.0, prefix_len = 4 }"))))
    ++sizes[prompt[0]];
  std::vector<int> counts;
  counts.reserve(sizes.size());
  for (const auto& [first, count] : sizes) counts.push_back(count);
  std::ranges::sort(counts);
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_NEAR(counts[2], 1090.9, 89);
  EXPECT_NEAR(counts[1], 545.5, 80);
  EXPECT_NEAR(counts[0], 363.6, 69);
}

TEST(Prompts, ATreeSharesItsBlocks) {
  const auto prompts =
      prompts_of(spec_text(load(3, "prefix = { kind = \"tree\", block = 16, hash_ids = [[1, 2, 3], [1, 2, 4], [5]] }"),
                           "length = { dist = \"fixed\", value = 40 }"));
  for (const auto& prompt : prompts) EXPECT_EQ(prompt.size(), 40U);
  EXPECT_EQ(common(prompts[0], prompts[1]), 32U);
  EXPECT_EQ(common(prompts[0], prompts[2]), 0U);
}

TEST(Prompts, ATurnBeginsWithThoseBeforeIt) {
  const WorkloadSpec spec = good(
      spec_text(load(6, "sessions = { turns = { dist = \"fixed\", value = 3 }, think_s = { dist = \"fixed\", value = 2 } }")));
  const auto list = expanded(spec).requests;
  ASSERT_EQ(list.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(list[i].session, static_cast<int>(i / 3));
    EXPECT_EQ(list[i].turn, static_cast<int>(i % 3));
    EXPECT_EQ(list[i].prompt.size(), 8 + 12 * (i % 3));  // own tokens and answers of the turns before
    EXPECT_EQ(list[i].intended.has_value(), i % 3 == 0);
    EXPECT_EQ(list[i].think, std::chrono::seconds(i % 3 == 0 ? 0 : 2));
    if (i % 3 > 0) EXPECT_EQ(common(list[i].prompt, list[i - 1].prompt), list[i - 1].prompt.size());
  }
  EXPECT_EQ(common(list[0].prompt, list[3].prompt), 0U);
}

TEST(Prompts, ASaltIsTheSessionsWhereTurnsAreRepeated) {
  const auto list = expanded(good(spec_text(load(4, "sessions = { turns = { dist = \"fixed\", value = 2 } }"),
                                            "length = { dist = \"fixed\", value = 8 }\ncontent = { unique_salt = true }")))
                        .requests;
  EXPECT_EQ(common(list[0].prompt, list[1].prompt), 8U);
  EXPECT_EQ(common(list[2].prompt, list[3].prompt), 8U);
  EXPECT_EQ(common(list[0].prompt, list[2].prompt), 0U);
}

TEST(Prompts, SessionsMayBeInterleavedAndForgetful) {
  const auto list =
      expanded(
          good(spec_text(load(
              6, "sessions = { turns = { dist = \"fixed\", value = 3 }, order = \"interleaved\", keep_history = false }"))))
          .requests;
  std::vector<std::pair<int, int>> places;
  for (const PlannedRequest& request : list) {
    places.emplace_back(request.session, request.turn);
    EXPECT_EQ(request.prompt.size(), 8U);
  }
  EXPECT_EQ(places, (std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}}));
}

TEST(Prompts, TextHasAWordForEachToken) {
  const auto list = expanded(good(spec_text(load(2, "target = { endpoint = \"chat\" }"),
                                            "form = \"text\"\nlength = { dist = \"fixed\", value = 20 }")))
                        .requests;
  for (const PlannedRequest& request : list) {
    EXPECT_TRUE(request.prompt.empty());
    EXPECT_EQ(std::ranges::count(request.text, ' '), 19);
  }
  EXPECT_NE(list[0].text, list[1].text);
}

TEST(Prompts, ACorpusIsReadFromADrawnPlace) {
  const std::filesystem::path folder = std::filesystem::path(written("corpus.txt", "1 2 3 4 5 6\n7 8 9 10\n")).parent_path();
  const auto prompts = prompts_of(
      spec_text(load(40), "length = { dist = \"fixed\", value = 12 }\ncontent = { kind = \"corpus\", file = \"corpus.txt\" }"),
      folder);
  std::set<TokenId> firsts;
  for (const auto& prompt : prompts) {
    firsts.insert(prompt[0]);
    for (std::size_t i = 1; i < prompt.size(); ++i) EXPECT_EQ(prompt[i].value(), prompt[i - 1].value() % 10 + 1);
  }
  EXPECT_GT(firsts.size(), 5U);
}

TEST(Prompts, ATemplateIsFilledIn) {
  const std::filesystem::path folder =
      std::filesystem::path(written("ask.txt", "[{index}] {content}? {content}")).parent_path();
  const auto list = expanded(
      good(spec_text(load(2),
                     "source = \"template\"\nfile = \"ask.txt\"\nform = \"text\"\nlength = { dist = \"fixed\", value = 2 }\n"
                     "content = { kind = \"repeat_id\", id = 0 }")),
      folder);
  EXPECT_EQ(list.requests[1].text, "[1] time time? time time");
  ASSERT_EQ(list.files.size(), 1U);
  EXPECT_EQ(list.files[0].path, "ask.txt");
}

TEST(Prompts, FilesOfPromptsAreTakenInTurn) {
  const std::filesystem::path folder =
      std::filesystem::path(written("prompts.jsonl", "{\"tokens\":[1,2],\"output_tokens\":9}\n{\"tokens\":[3]}\n"))
          .parent_path();
  const auto list = expanded(good(spec_text(load(3), "source = \"file\"\nfile = \"prompts.jsonl\"")), folder).requests;
  EXPECT_EQ(list[2].prompt, (std::vector{TokenId(1), TokenId(2)}));
  EXPECT_EQ(list[1].prompt, (std::vector{TokenId(3)}));
  EXPECT_EQ(list[0].output_tokens, 9);
  EXPECT_EQ(list[1].output_tokens, 4);  // of output.length
}

TEST(Prompts, FilesThatAreWrongAreNamed) {
  const auto fault = [](const std::string& content, const std::string& prompt) {
    const std::filesystem::path folder = std::filesystem::path(written("wrong.txt", content)).parent_path();
    const auto list = expand(good(spec_text(load(3), prompt)), folder);
    return list.has_error() ? list.error().message : "none";
  };
  const std::string lines = "source = \"file\"\nfile = \"wrong.txt\"";
  EXPECT_EQ(fault("{\"tokens\":[1]}\n{\"text\":\"x\"}\n", lines),
            "wrong.txt:2: tokens and text: the line must have what prompt.form says");
  EXPECT_EQ(fault("{\"tokens\":[1]}\n{\"tokens\":[-1]}\n", lines),
            "wrong.txt:2: tokens[0] must be an integer between 0 and 2147483647");
  EXPECT_EQ(fault("{\"tokens\":[1]}\nnothing\n", lines), "wrong.txt:2: is not one JSON object");
  EXPECT_EQ(fault("[1]\n", lines), "wrong.txt:1: is not one JSON object");
  EXPECT_EQ(fault("\xff", "length = { dist = \"fixed\", value = 2 }\ncontent = { kind = \"corpus\", file = \"wrong.txt\" }"),
            "wrong.txt is not UTF-8");
  EXPECT_EQ(fault("", lines), "wrong.txt has no prompts");
  EXPECT_EQ(fault("1 two", "length = { dist = \"fixed\", value = 2 }\ncontent = { kind = \"corpus\", file = \"wrong.txt\" }"),
            "wrong.txt must be token ids with white space between them");
  EXPECT_EQ(fault("", "source = \"file\"\nfile = \"none.jsonl\""), "none.jsonl is not a file");
}

TEST(Prompts, AFilesHashIsPartOfTheLists) {
  const std::string spec =
      spec_text(load(1), "length = { dist = \"fixed\", value = 1 }\ncontent = { kind = \"corpus\", file = \"c.txt\" }");
  std::filesystem::path folder = std::filesystem::path(written("c.txt", "1 1")).parent_path();
  const auto before = expanded(good(spec), folder);
  written("c.txt", "1 1 1");
  const auto after = expanded(good(spec), folder);
  EXPECT_EQ(before.requests[0].prompt, after.requests[0].prompt);
  EXPECT_NE(before.sha256(), after.sha256());
}

}  // namespace
}  // namespace mie::bench
