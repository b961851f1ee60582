// Dumps of layers: what is written is read back, a file from its description is read, damaged ones are refused.
#include "bench/diff/dump_file.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>

namespace mie::diff {
namespace {

class DumpFile : public ::testing::Test {
 protected:
  std::string path_ = ::testing::TempDir() + "mie_dump_" + std::to_string(::getpid()) + ".layers";
  void TearDown() override { std::filesystem::remove(path_); }

  void put(const std::string& header, const std::vector<float>& numbers) const {
    std::ofstream out(path_, std::ios::binary);
    out << header;
    out.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(float)));
  }
  std::string refusal() const {
    const auto read = read_dump(path_);
    return read.has_error() ? read.error().message.substr(path_.size() + 2) : "accepted";
  }
};

const std::string kHeader =
    "mie-layers 1\nby hand\narithmetic fp32\nprompt 1\ntokens 7 8\nnext 8 9\ntensor -1 embed 2\ntensor 0 q 1\nend\n";

TEST_F(DumpFile, IsReadAsDescribed) {
  put(kHeader, {1, 2, 3, 4, 5, 6});
  const auto read = read_dump(path_);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->made_by, "hand");
  EXPECT_EQ(read->n_prompt, 1);
  EXPECT_EQ(read->tokens, (std::vector{TokenId(7), TokenId(8)}));
  EXPECT_EQ(read->next[1], TokenId(9));
  EXPECT_EQ((read->tensors.at({-1, TapPoint::kEmbed})), (std::vector<Row>{{1, 2}, {3, 4}}));
  EXPECT_EQ((read->tensors.at({0, TapPoint::kQ})), (std::vector<Row>{{5}, {6}}));
}

TEST_F(DumpFile, GivesBackWhatWasWritten) {
  Record record{.made_by = "native w4a8", .numerics = {Arithmetic::kW4A8, "native avx2"}};
  record.tokens = {TokenId(3), TokenId(0)};
  record.n_prompt = 2;
  record.next = {TokenId(1), TokenId(2)};
  record.tensors[{-1, TapPoint::kLogits}] = {{0.1F, -3e30F}, {0, 1e-40F}};
  record.tensors[{1, TapPoint::kResidualMid}] = {{1}, {2}};
  ASSERT_TRUE(write_dump(record, path_).has_value());
  const auto read = read_dump(path_);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->numerics.arithmetic, Arithmetic::kW4A8);
  EXPECT_EQ(read->numerics.bits, "native avx2");
  EXPECT_EQ(read->tokens, record.tokens);
  EXPECT_EQ(read->next, record.next);
  EXPECT_EQ(read->tensors, record.tensors);
}

TEST_F(DumpFile, IsNotWrittenWithoutEveryRow) {
  Record record{.made_by = "x", .numerics = {}};
  record.tokens = {TokenId(3), TokenId(0)};
  record.tensors[{0, TapPoint::kQ}] = {{1}};
  EXPECT_TRUE(write_dump(record, path_).has_error());
}

TEST_F(DumpFile, DamagedOnesAreRefused) {
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  const auto changed = [](std::string from, const std::string& to) {
    std::string header = kHeader;
    return header.replace(header.find(from), from.size(), to);
  };
  put("GGUF", {});
  EXPECT_EQ(refusal(), "not a dump of layers: it starts with \"mie-layers 1\"");
  put(kHeader, {1, 2, 3, 4, 5});
  EXPECT_EQ(refusal(), "has more or fewer numbers than its header says");
  put(kHeader, {1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(refusal(), "has more or fewer numbers than its header says");
  put(changed("end\n", ""), {});
  EXPECT_EQ(refusal(), "ends within its header");
  put(changed("prompt 1", "prompt 3"), numbers);
  EXPECT_EQ(refusal(), "a prompt longer than the tokens, or none");
  put(changed("next 8 9", "next 8"), numbers);
  EXPECT_EQ(refusal(), "another number of next than of tokens");
  put(changed("tokens 7 8", "tokens 7 -8"), numbers);
  EXPECT_EQ(refusal(), "tokens: ids separated by spaces");
  put(changed("0 q 1", "0 queries 1"), numbers);
  EXPECT_EQ(refusal(), "tensor: a layer, a name and a width, got \"0 queries 1\"");
  put(changed("embed 2", "embed 99999999999"), numbers);
  EXPECT_EQ(refusal(), "tensor: a layer, a name and a width, got \"-1 embed 99999999999\"");
  put(changed("arithmetic fp32", "arithmetic fp8"), numbers);
  EXPECT_EQ(refusal(), "arithmetic: one of fp32, bf16, w4a8");
  put(changed("by hand", "made by hand"), numbers);
  EXPECT_EQ(refusal(), "a line that starts with \"made\"");
  std::filesystem::remove(path_);
  EXPECT_EQ(refusal(), "cannot be read");
}

}  // namespace
}  // namespace mie::diff
