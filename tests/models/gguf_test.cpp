#include "models/weights/gguf.h"

#include "tests/fakes/gguf_builder.h"
#include "tests/fakes/tiny_llama.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mie {
namespace {

using test::GgufBuilder;

std::vector<std::byte> bytes_of(std::size_t n, int value) { return std::vector<std::byte>(n, static_cast<std::byte>(value)); }

// Two tensors: "a" of 2 rows of 3 F32 (24 bytes, padded to 32), "b" of one Q8_0 block.
GgufBuilder two_tensors() {
  GgufBuilder file;
  file.text("general.architecture", "none");
  file.tensor("a", QuantFormat::kF32, {2, 3}, bytes_of(24, 1));
  file.tensor("b", QuantFormat::kQ8_0, {32}, bytes_of(34, 2));
  return file;
}

std::string refusal_of(std::span<const std::byte> bytes) {
  const auto file = GgufFile::parse(bytes, "m.gguf");
  if (file) return "accepted";
  EXPECT_EQ(file.error().code, Errc::kModelFormat);
  EXPECT_EQ(file.error().message.find('\n'), std::string::npos);
  return file.error().message;
}
std::string refusal_of(const GgufBuilder& file) { return refusal_of(file.bytes()); }

TEST(GgufFile, GivesTensorsByNameAndInFileOrder) {
  const auto bytes = two_tensors().bytes();
  const auto file = *GgufFile::parse(bytes, "m.gguf");
  ASSERT_EQ(file->tensors().size(), 2U);
  const TensorView& a = file->tensors()[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.format, QuantFormat::kF32);
  EXPECT_EQ(a.shape, (std::vector<std::int64_t>{2, 3}));  // outermost first: the file has 3, 2
  EXPECT_EQ(a.n_elements(), 6);
  EXPECT_EQ(std::vector<std::byte>(a.bytes.begin(), a.bytes.end()), bytes_of(24, 1));
  EXPECT_EQ(file->find("a"), &a);
  ASSERT_NE(file->find("b"), nullptr);
  EXPECT_EQ(file->find("b")->bytes.size(), 34U);
  EXPECT_EQ(file->find("b")->bytes.front(), std::byte{2});
  EXPECT_EQ(file->find("c"), nullptr);
  EXPECT_EQ(file->find(""), nullptr);
}

TEST(GgufFile, TensorsMayBeListedInAnotherOrderThanStored) {
  auto builder = two_tensors();
  builder.find("a").offset_shift = 64;   // behind b, which is padded to 64
  builder.find("b").offset_shift = -32;  // to the front
  auto bytes = builder.bytes();
  bytes.resize(builder.header_bytes() + 64 + 24);
  const auto file = GgufFile::parse(bytes, "m.gguf");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->tensors()[0].name, "a");
  EXPECT_EQ((*file)->tensors()[0].bytes.data() - (*file)->tensors()[1].bytes.data(), 64);
}

TEST(GgufFile, ReadsVersions2And3AndOtherAlignments) {
  auto version2 = two_tensors();
  version2.version = 2;
  EXPECT_EQ(refusal_of(version2), "accepted");
  auto aligned = two_tensors();
  aligned.alignment = 8;
  aligned.u32("general.alignment", 8);
  EXPECT_EQ(refusal_of(aligned), "accepted");
  auto misdeclared = two_tensors();
  misdeclared.u32("general.alignment", 64);
  EXPECT_NE(refusal_of(misdeclared), "accepted");
}

TEST(GgufFile, FinalPaddingIsOptionalAndNothingFollowsIt) {
  auto bytes = two_tensors().bytes();
  bytes.resize(bytes.size() - 30);  // b has 34 bytes of 64
  EXPECT_EQ(refusal_of(bytes), "accepted");
  bytes.pop_back();
  EXPECT_EQ(refusal_of(bytes), "m.gguf: tensor 'b' reaches past the end of the file");
  bytes.resize(two_tensors().bytes().size() + 1);
  EXPECT_EQ(refusal_of(bytes), "m.gguf: has bytes behind its last tensor");
}

TEST(GgufFile, AFileWithoutTensorsIsLegal) {
  GgufBuilder file;
  EXPECT_EQ(refusal_of(file), "accepted");
  file.text("tokenizer.ggml.model", "gpt2");
  EXPECT_EQ(refusal_of(file), "accepted");
  auto bytes = file.bytes();
  bytes.resize(bytes.size() + 100);
  EXPECT_EQ(refusal_of(bytes), "m.gguf: has bytes behind its last tensor");
}

TEST(GgufFile, RefusesWhatIsNoGguf) {
  EXPECT_EQ(refusal_of(std::vector<std::byte>{}), "m.gguf: is not a GGUF file");
  EXPECT_EQ(refusal_of(bytes_of(3, 'G')), "m.gguf: is not a GGUF file");
  auto pickle = two_tensors();
  pickle.magic = 0x04034b50;  // a zip file, as torch.save writes
  EXPECT_EQ(refusal_of(pickle), "m.gguf: is not a GGUF file");
  auto old = two_tensors();
  old.version = 1;
  EXPECT_EQ(refusal_of(old), "m.gguf: has GGUF version 1; versions 2 and 3 are supported");
  old.version = 4;
  EXPECT_EQ(refusal_of(old), "m.gguf: has GGUF version 4; versions 2 and 3 are supported");
  old.version = 0x03000000;
  EXPECT_EQ(refusal_of(old), "m.gguf: is a big-endian GGUF file, which is not supported");
}

TEST(GgufFile, NamesTheTensorAndTypeItCannotRead) {
  auto file = two_tensors();
  file.find("a").name = "blk.3.ffn_up.weight";
  const std::vector<std::pair<std::uint32_t, std::string>> types = {
      {6, "Q5_0"},   {13, "Q5_K"},  {14, "Q6_K"},    {24, "I8"},
      {29, "IQ1_M"}, {39, "MXFP4"}, {4, "number 4"}, {0xffffffff, "number 4294967295"}};
  for (const auto& [type, name] : types) {
    file.find("blk.3.ffn_up.weight").type = type;
    EXPECT_EQ(refusal_of(file), "m.gguf: tensor 'blk.3.ffn_up.weight' has type " + name + ", which is not supported");
  }
}

TEST(GgufFile, RefusesImpossibleShapes) {
  const auto with_dims = [](std::vector<std::uint64_t> dims) {
    auto file = two_tensors();
    file.find("a").dims = std::move(dims);
    return refusal_of(file);
  };
  EXPECT_EQ(with_dims({}), "m.gguf: tensor 'a' has 0 dimensions; 1 to 4 are supported");
  EXPECT_EQ(with_dims({1, 1, 1, 1, 6}), "m.gguf: tensor 'a' has 5 dimensions; 1 to 4 are supported");
  EXPECT_EQ(with_dims({0, 2}), "m.gguf: tensor 'a' of type F32 has impossible shape [2, 0]");
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::string impossible = "m.gguf: tensor 'a' of type F32 has impossible shape ";
  EXPECT_EQ(with_dims({kMax, 2}), impossible + "[2, 9223372036854775807]");  // product wraps
  EXPECT_EQ(with_dims({kMax}), impossible + "[9223372036854775807]");        // bytes wrap
  EXPECT_EQ(with_dims({1ULL << 32, 1ULL << 32}), impossible + "[4294967296, 4294967296]");
  EXPECT_NE(with_dims({0xffffffffffffffff, 2}), "accepted");
  EXPECT_EQ(with_dims({1ULL << 40}), "m.gguf: tensor 'a' reaches past the end of the file");
  auto partial_block = two_tensors();
  partial_block.find("b").dims = {31};
  EXPECT_EQ(refusal_of(partial_block), "m.gguf: tensor 'b' of type Q8_0 has impossible shape [31]");
}

TEST(GgufFile, RefusesTensorsThatOverlapOrLeaveGaps) {
  const auto shifted = [](std::int64_t shift) {
    auto file = two_tensors();
    file.find("b").offset_shift = shift;
    return refusal_of(file);
  };
  EXPECT_EQ(shifted(-32), "m.gguf: tensor 'b' overlaps another tensor");
  EXPECT_EQ(shifted(1), "m.gguf: tensor 'b' is not aligned to 32 bytes");
  EXPECT_EQ(shifted(64), "m.gguf: tensor 'b' reaches past the end of the file");
  EXPECT_EQ(shifted(-64), "m.gguf: tensor 'b' reaches past the end of the file");  // 2^64 - 32
  auto gap = two_tensors();
  gap.find("b").offset_shift = 32;
  auto bytes = gap.bytes();
  bytes.resize(bytes.size() + 32);
  EXPECT_EQ(refusal_of(bytes), "m.gguf: tensor 'b' leaves a gap before it");
}

TEST(GgufFile, RefusesNamesThatAreDoubledEmptyOrTooLong) {
  auto twice = two_tensors();
  twice.find("b").name = "a";
  EXPECT_EQ(refusal_of(twice), "m.gguf: tensor 'a' occurs twice");
  auto unnamed = two_tensors();
  unnamed.find("b").name = "";
  EXPECT_EQ(refusal_of(unnamed), "m.gguf: has a tensor whose name is 0 bytes long");
  auto wordy = two_tensors();
  wordy.find("b").name = std::string(65, 'b');
  EXPECT_EQ(refusal_of(wordy), "m.gguf: has a tensor whose name is 65 bytes long");
  auto keys = two_tensors();
  keys.u32("other", 1);
  keys.rename("other", "general.architecture");
  EXPECT_EQ(refusal_of(keys), "m.gguf: metadata 'general.architecture' occurs twice");
  keys.rename("general.architecture", "");
  EXPECT_EQ(refusal_of(keys), "m.gguf: metadata entry 1 has a key of 0 bytes");
}

TEST(GgufFile, RefusesAlignmentsThatWouldWrapOrDivideByZero) {
  for (const std::uint64_t alignment : {0ULL, 4ULL, 24ULL, 1ULL << 17, 1ULL << 32, 1ULL << 62}) {
    auto file = two_tensors();
    file.u64("general.alignment", alignment);
    EXPECT_EQ(refusal_of(file),
              "m.gguf: has alignment " + std::to_string(alignment) + "; a power of two from 8 to 65536 is expected");
  }
  auto text = two_tensors();
  text.text("general.alignment", "32");
  EXPECT_EQ(refusal_of(text), "m.gguf: metadata 'general.alignment' is string where an integer of 63 bits is expected");
}

// Counts are at bytes 8 (tensors) and 16 (metadata) of the header.
TEST(GgufFile, RefusesCountsThatTheFileCannotHold) {
  for (const std::size_t at : {8U, 16U}) {
    for (const std::uint64_t count : {1000ULL, 1ULL << 32, 1ULL << 61, 0xffffffffffffffffULL}) {
      auto bytes = two_tensors().bytes();
      std::memcpy(bytes.data() + at, &count, sizeof count);
      EXPECT_NE(refusal_of(bytes).find("more than the file holds"), std::string::npos);
    }
  }
}

TEST(GgufFile, RefusesDamagedMetadata) {
  const auto with_value = [](std::uint32_t type, std::vector<std::uint64_t> words) {
    auto file = two_tensors();
    file.raw("k", type, std::as_bytes(std::span(words)));
    return refusal_of(file);
  };
  const auto array_of = [](std::uint32_t type, std::uint64_t n) {
    std::vector<std::byte> value(12);
    std::memcpy(value.data(), &type, 4);
    std::memcpy(value.data() + 4, &n, 8);
    auto file = two_tensors();
    file.raw("k", 9, value);
    return refusal_of(file);
  };
  EXPECT_EQ(with_value(13, {0}), "m.gguf: metadata 'k' has unknown type 13");
  EXPECT_EQ(with_value(8, {0xffffffffffffffff}), "m.gguf: metadata 'k' is cut off");
  EXPECT_EQ(array_of(4, 1ULL << 62), "m.gguf: metadata 'k' claims 4611686018427387904 elements, more than the file holds");
  EXPECT_EQ(array_of(8, 1ULL << 61), "m.gguf: metadata 'k' claims 2305843009213693952 elements, more than the file holds");
  EXPECT_EQ(array_of(9, 0), "m.gguf: metadata 'k' is an array of arrays, which is not supported");
  EXPECT_EQ(array_of(99, 0), "m.gguf: metadata 'k' is an array of unknown type 99");
}

TEST(GgufFile, MessagesStayOnePrintableLine) {
  auto file = two_tensors();
  file.find("a").name = "a\nb\x1b['\xff";
  file.find("a\nb\x1b['\xff").type = 99;
  EXPECT_EQ(refusal_of(file), R"(m.gguf: tensor 'a\x0ab\x1b[\x27\xff' has type number 99, which is not supported)");
  auto wordy = two_tensors();
  wordy.raw(std::string(1000, 'k'), 99, {});
  EXPECT_EQ(refusal_of(wordy), "m.gguf: metadata '" + std::string(80, 'k') + "...' has unknown type 99");
}

TEST(GgufFile, OpensAFileAndNamesItWithoutItsFolder) {
  const auto folder = std::filesystem::temp_directory_path() / ("mie_gguf_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto path = folder / "tiny.gguf";
  const auto bytes = test::tiny_llama({}).bytes();
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  const auto file = GgufFile::open(path);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->file_name(), "tiny.gguf");
  EXPECT_EQ((*file)->tensors().size(), 1U + 2 * 9 + 1);

  std::filesystem::resize_file(path, 100);
  EXPECT_EQ(GgufFile::open(path).error().message.find("tiny.gguf: "), 0U);
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(GgufFile::open(path).error().message, "tiny.gguf: is empty");
  std::filesystem::remove(path);
  EXPECT_EQ(GgufFile::open(path).error().message, "tiny.gguf: cannot be opened: No such file or directory");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(GgufFile::open(path).error().message, "tiny.gguf: is not a regular file");
  std::filesystem::remove_all(folder);
}

TEST(GgufFile, DroppedPagesComeBackWithTheSameBytes) {
  const auto path = std::filesystem::temp_directory_path() / ("mie_map_" + std::to_string(::getpid()));
  std::ofstream(path) << std::string(100'000, 'x');
  auto map = *MappedFile::open(path);
  const MappedFile moved = std::move(map);
  moved.drop_resident_pages();
  EXPECT_EQ(moved.bytes().size(), 100'000U);
  EXPECT_EQ(moved.bytes()[99'999], std::byte{'x'});
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace mie
