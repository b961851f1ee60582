// The capacity table of `mie bench kv` against the published one, in full, and its exact cases.
#include "bench/kv/capacity.h"

#include "bench/kv/exact_cases.h"
#include "bench/kv/kv.h"
#include "bench/kv/oracles.h"
#include "bench/kv/report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <sstream>
#include <string>
#include <vector>

namespace mie::bench {
namespace {

// 1 GiB of 12 288 B a token, sequences of 2048 tokens at most. List, B, blocks, reserved MiB, saved %, waste MiB, waste %,
// capacity by the mean, × contiguous, pool blocks, admitted. The rows of 16, 32 and 64 are those that the seed project
// published (EXP-2026-016).
constexpr const char* kPublished = R"(
| many_short | 1 | 36899 | 432.41 | 98.20 | 0.00 | 0.00 | 2368 | 56.38 | 87381 | 2359 |
| many_short | 2 | 18698 | 438.23 | 98.17 | 5.82 | 1.33 | 2336 | 55.62 | 43690 | 2326 |
| many_short | 4 | 9614 | 450.66 | 98.12 | 18.25 | 4.05 | 2272 | 54.10 | 21845 | 2260 |
| many_short | 8 | 5055 | 473.91 | 98.03 | 41.50 | 8.76 | 2160 | 51.43 | 10922 | 2151 |
| many_short | 16 | 2740 | 513.75 | 97.86 | 81.34 | 15.83 | 1993 | 47.45 | 5461 | 1994 |
| many_short | 32 | 1589 | 595.88 | 97.52 | 163.46 | 27.43 | 1718 | 40.90 | 2730 | 1715 |
| many_short | 64 | 1000 | 750.00 | 96.88 | 317.59 | 42.35 | 1365 | 32.50 | 1365 | 1365 |
| many_short | 128 | 1000 | 1500.00 | 93.75 | 1067.59 | 71.17 | 682 | 16.24 | 682 | 682 |
| many_short | 256 | 1000 | 3000.00 | 87.50 | 2567.59 | 85.59 | 341 | 8.12 | 341 | 341 |
| many_short | 512 | 1000 | 6000.00 | 75.00 | 5567.59 | 92.79 | 170 | 4.05 | 170 | 170 |
| many_short | 2048 | 1000 | 24000.00 | 0.00 | 23567.59 | 98.20 | 42 | 1.00 | 42 | 42 |
| mixed | 1 | 672937 | 7885.98 | 67.14 | 0.00 | 0.00 | 129 | 3.07 | 87381 | 113 |
| mixed | 2 | 336720 | 7891.88 | 67.12 | 5.89 | 0.07 | 129 | 3.07 | 43690 | 113 |
| mixed | 4 | 168615 | 7903.83 | 67.07 | 17.85 | 0.23 | 129 | 3.07 | 21845 | 113 |
| mixed | 8 | 84552 | 7926.75 | 66.97 | 40.77 | 0.51 | 129 | 3.07 | 10922 | 113 |
| mixed | 16 | 42527 | 7973.81 | 66.78 | 87.83 | 1.10 | 128 | 3.05 | 5461 | 112 |
| mixed | 32 | 21514 | 8067.75 | 66.38 | 181.77 | 2.25 | 126 | 3.00 | 2730 | 110 |
| mixed | 64 | 10999 | 8249.25 | 65.63 | 363.27 | 4.40 | 124 | 2.95 | 1365 | 110 |
| mixed | 128 | 5795 | 8692.50 | 63.78 | 806.52 | 9.28 | 117 | 2.79 | 682 | 105 |
| mixed | 256 | 3179 | 9537.00 | 60.26 | 1651.02 | 17.31 | 107 | 2.55 | 341 | 100 |
| mixed | 512 | 1935 | 11610.00 | 51.62 | 3724.02 | 32.08 | 88 | 2.10 | 170 | 82 |
| mixed | 2048 | 1000 | 24000.00 | 0.00 | 16114.02 | 67.14 | 42 | 1.00 | 42 | 42 |
| many_long | 1 | 1263619 | 14808.04 | 38.30 | 0.00 | 0.00 | 69 | 1.64 | 87381 | 73 |
| many_long | 2 | 632072 | 14814.19 | 38.27 | 6.15 | 0.04 | 69 | 1.64 | 43690 | 73 |
| many_long | 4 | 316299 | 14826.52 | 38.22 | 18.48 | 0.12 | 69 | 1.64 | 21845 | 73 |
| many_long | 8 | 158403 | 14850.28 | 38.12 | 42.25 | 0.28 | 68 | 1.62 | 10922 | 73 |
| many_long | 16 | 79449 | 14896.69 | 37.93 | 88.65 | 0.60 | 68 | 1.62 | 5461 | 72 |
| many_long | 32 | 39968 | 14988.00 | 37.55 | 179.96 | 1.20 | 68 | 1.62 | 2730 | 72 |
| many_long | 64 | 20237 | 15177.75 | 36.76 | 369.71 | 2.44 | 67 | 1.60 | 1365 | 71 |
| many_long | 128 | 10352 | 15528.00 | 35.30 | 719.96 | 4.64 | 65 | 1.55 | 682 | 69 |
| many_long | 256 | 5412 | 16236.00 | 32.35 | 1427.96 | 8.80 | 63 | 1.50 | 341 | 66 |
| many_long | 512 | 2952 | 17712.00 | 26.20 | 2903.96 | 16.40 | 57 | 1.36 | 170 | 62 |
| many_long | 2048 | 1000 | 24000.00 | 0.00 | 9191.96 | 38.30 | 42 | 1.00 | 42 | 42 |
)";

std::vector<std::string> published_rows() {
  std::vector<std::string> rows;
  std::istringstream text(kPublished);
  for (std::string line; std::getline(text, line);) {
    if (!line.empty()) rows.push_back(line);
  }
  return rows;
}

// A row as the table has it, with one way's counts.
std::string row_text(const CapacityRow& row, const Capacity& way) {
  return fmt::format("| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {} | {:.2f} | {} | {} |", row.list, row.block_size,
                     way.n_blocks, row.reserved_mib(), row.saved_percent(), row.waste_mib(), row.waste_percent(), way.by_mean,
                     row.times_contiguous(), way.pool_blocks, way.admitted);
}

TEST(KvCapacity, EveryRowIsThePublishedOneInThreeWays) {
  const auto published = published_rows();
  ASSERT_EQ(published.size(), 33U);
  std::size_t i = 0, n_resident = 0;
  for (const LengthList& list : kv_length_lists(kKvSeed)) {
    for (const int block_size : kKvBlockSizes) {
      const auto row = capacity_row(list, block_size, ResidentMode::kScaled);
      ASSERT_TRUE(row.has_value()) << row.error().message;
      EXPECT_EQ(row_text(*row, row->closed), published[i]);
      EXPECT_EQ(row_text(*row, row->live), published[i]);
      EXPECT_TRUE(capacity_exact(*row)) << published[i];
      EXPECT_TRUE(row->ways_agree()) << published[i];
      if (row->resident) {
        ++n_resident;
        EXPECT_TRUE(row->resident->agrees()) << row->resident->expected_bytes << " " << row->resident->measured_bytes;
      }
      ++i;
    }
  }
  EXPECT_EQ(n_resident, 24U) << "the arena has no pages of 1, 2 and 4 tokens";
}

// Of 64 tokens, every short sequence has one block: 1365 entries of 4 bytes. The pool has for each of 1365 blocks a free-list
// entry of 4, two links of 8, and a count and a flag in 8.
TEST(KvCapacity, BookkeepingIsCountedInBytes) {
  const auto row = capacity_row(kv_length_lists(kKvSeed).front(), 64, ResidentMode::kOff);
  EXPECT_EQ(row->closed.table_bytes, 5460);
  EXPECT_EQ(row->live.table_bytes, 5460);
  EXPECT_EQ(row->pool_bytes, 1365 * (4 + 16 + 8));
}

// What a sanitizer keeps beside the blocks would be measured with them.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
// 10 blocks of 16 tokens of 12 288 bytes, in 24 layers.
TEST(ResidentBlocks, AreAsLargeAsTheirBytes) {
  std::vector<BlockId> blocks;
  for (int id = 0; id < 10; ++id) blocks.emplace_back(id);
  const auto resident = resident_blocks(kv_shape(16), 64, blocks);
  ASSERT_TRUE(resident.has_value()) << resident.error().message;
  EXPECT_EQ(resident->expected_bytes, 1'966'080);
  EXPECT_TRUE(resident->agrees()) << resident->measured_bytes;
}
#endif

TEST(ResidentBlocks, DisagreeBeyondTheirTolerance) {
  EXPECT_TRUE((Resident{.expected_bytes = 100, .measured_bytes = 90, .tolerance_bytes = 10}).agrees());
  EXPECT_FALSE((Resident{.expected_bytes = 100, .measured_bytes = 89, .tolerance_bytes = 10}).agrees());
  EXPECT_FALSE((Resident{.expected_bytes = 100, .measured_bytes = 111, .tolerance_bytes = 10}).agrees());
}

// Of EXP-2026-015 and the tables beside it.
TEST(ExactCases, AreThePublishedOnesInEveryWay) {
  const std::vector<std::string> published = {"reserved 2048, wasted 1216, 59.38 %",
                                              "reserved 4096, wasted 3264, 79.69 %",
                                              "reserved 8192, wasted 7360, 89.84 %",
                                              "52 blocks, 832 tokens, waste 0",
                                              "384/1024",
                                              "free 0, after 100 lifecycles 4",
                                              "blocks 0 0 1 1 2; offsets 0 15 0 15 0",
                                              "28 blocks"};
  const auto cases = exact_cases(WithMemory::kYes);
  ASSERT_TRUE(cases.has_value()) << cases.error().message;
  ASSERT_EQ(cases->size(), published.size());
  for (std::size_t i = 0; i < published.size(); ++i) {
    const ExactCase& one = (*cases)[i];
    EXPECT_EQ(one.closed, published[i]) << one.what;
    EXPECT_EQ(one.live, published[i]) << one.what;
    if (one.resident) EXPECT_TRUE(one.resident->agrees()) << one.what << " " << one.resident->measured_bytes;
    EXPECT_TRUE(one.exact()) << one.what;
  }
}

// What makes the command's exit code 1.
TEST(KvReport, NamesTheWayThatIsOff) {
  const auto list = kv_length_lists(kKvSeed).front();
  KvReport report{.lists = {list}, .capacity = {*capacity_row(list, 16, ResidentMode::kOff)}};
  EXPECT_TRUE(report.failures().empty());
  report.capacity.front().live.admitted += 1;
  ASSERT_EQ(report.failures().size(), 1U);
  EXPECT_NE(report.failures().front().find("many_short B = 16: the pool"), std::string::npos);
  report.capacity.front().closed.admitted += 1;  // both ways, and not the published figure
  ASSERT_EQ(report.failures().size(), 1U);
  EXPECT_NE(report.failures().front().find("published"), std::string::npos);
  report.capacity.front().resident = Resident{.expected_bytes = 1 << 20, .measured_bytes = 0, .tolerance_bytes = 4096};
  EXPECT_EQ(report.failures().size(), 2U);
  report.lists.front().lengths.front() += 1;
  EXPECT_EQ(report.failures().size(), 3U);
  report.cases = {{.what = "a case", .expected = "1", .closed = "1", .live = "2"}};
  EXPECT_EQ(report.failures().size(), 4U);
}

// What makes it 5.
TEST(KvReport, ATimeTakenBesideOthersDisturbsTheRun) {
  KvReport report;
  report.times = {{.block_size = 16, .context = 1024, .seconds = 1, .foreign_cpu = 0.01}};
  EXPECT_FALSE(report.disturbed());
  report.times.front().foreign_cpu = 0.2;
  EXPECT_TRUE(report.disturbed());
}

TEST(KvRun, JsonHasEveryTable) {
  const auto outcome = run_kv({.resident = ResidentMode::kOff, .json = true});
  ASSERT_TRUE(outcome.has_value());
  EXPECT_FALSE(outcome->failed);
  simdjson::dom::parser parser;
  const simdjson::padded_string text(outcome->text);
  const simdjson::dom::element root = parser.parse(text);
  EXPECT_EQ(std::string_view(root["schema"]), "mie.kv/1");
  EXPECT_EQ(root["capacity"].get_array().size(), 33U);
  for (const auto row : root["capacity"].get_array()) {
    EXPECT_TRUE(bool(row["exact"]));
    EXPECT_TRUE(row["resident"].is_null());
  }
  EXPECT_EQ(root["lists"].get_array().size(), 3U);
  EXPECT_EQ(root["cases"].get_array().size(), 8U);
  EXPECT_EQ(root["shared_prefix"]["rows"].get_array().size(), 6U);
  EXPECT_EQ(root["growth"].get_array().size(), 15U);
  EXPECT_EQ(root["failures"].get_array().size(), 0U);
  EXPECT_EQ(root["step_times"].get_array().size(), 0U);
}

TEST(KvRun, AMissingModelIsOneLine) {
  const auto outcome = run_kv({.resident = ResidentMode::kOff, .time = true, .model = "no such file.gguf"});
  ASSERT_TRUE(outcome.has_error());
  EXPECT_NE(outcome.error().message.find("no such file.gguf"), std::string::npos);
}

}  // namespace
}  // namespace mie::bench
