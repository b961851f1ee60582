#include "models/weights/gguf.h"
#include "tests/fakes/gguf_builder.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace mie {
namespace {

using test::GgufBuilder;

template <class T>
std::vector<std::byte> raw(T value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

class GgufMetadataTest : public testing::Test {
 protected:
  const GgufMetadata& read() {
    bytes_ = builder_.bytes();
    auto parsed = GgufFile::parse(bytes_, "m.gguf");
    if (!parsed) throw std::runtime_error(parsed.error().message);
    file_ = std::move(*parsed);
    return file_->metadata();
  }

  GgufBuilder builder_;
  std::vector<std::byte> bytes_;
  std::unique_ptr<GgufFile> file_;
};

TEST_F(GgufMetadataTest, EveryIntegerTypeReadsAsItsValue) {
  builder_.raw("u8", 0, raw(std::uint8_t{255}));
  builder_.raw("i8", 1, raw(std::int8_t{-128}));
  builder_.raw("u16", 2, raw(std::uint16_t{65535}));
  builder_.raw("i16", 3, raw(std::int16_t{-32768}));
  builder_.u32("u32", 4294967295U);
  builder_.i32("i32", -2147483647);
  builder_.u64("u64", 9223372036854775807U);
  builder_.raw("i64", 11, raw(std::numeric_limits<std::int64_t>::min()));
  const auto& metadata = read();
  EXPECT_EQ(metadata.size(), 8U);
  EXPECT_EQ(*metadata.integer("u8"), 255);
  EXPECT_EQ(*metadata.integer("i8"), -128);
  EXPECT_EQ(*metadata.integer("u16"), 65535);
  EXPECT_EQ(*metadata.integer("i16"), -32768);
  EXPECT_EQ(*metadata.integer("u32"), 4294967295);
  EXPECT_EQ(*metadata.integer("i32"), -2147483647);
  EXPECT_EQ(*metadata.integer("u64"), 9223372036854775807);
  EXPECT_EQ(*metadata.integer("i64"), std::numeric_limits<std::int64_t>::min());
}

TEST_F(GgufMetadataTest, OtherScalarsReadAsTheirValue) {
  builder_.f32("f32", 1.5F);
  builder_.raw("f64", 12, raw(0.1));
  builder_.boolean("yes", true);
  builder_.boolean("no", false);
  builder_.text("text", std::string_view("a\0b", 3));
  builder_.text("empty", "");
  const auto& metadata = read();
  EXPECT_EQ(*metadata.real("f32"), 1.5);
  EXPECT_EQ(*metadata.real("f64"), 0.1);
  EXPECT_TRUE(*metadata.boolean("yes"));
  EXPECT_FALSE(*metadata.boolean("no"));
  EXPECT_EQ(*metadata.string("text"), std::string_view("a\0b", 3));
  EXPECT_EQ(*metadata.string("empty"), "");
}

TEST_F(GgufMetadataTest, ArraysKeepTheirOrder) {
  const std::vector<std::string> words = {"b", "", "a"};
  const std::vector<std::int32_t> numbers = {3, -1, 2};
  const std::vector<float> reals = {0.5F, -2};
  builder_.texts("words", words);
  builder_.i32s("numbers", numbers);
  builder_.f32s("reals", reals);
  const auto& metadata = read();
  const auto read_words = *metadata.strings("words");
  EXPECT_EQ(std::vector<std::string>(read_words.begin(), read_words.end()), words);
  EXPECT_EQ(*metadata.integers("numbers"), (std::vector<std::int64_t>{3, -1, 2}));
  EXPECT_EQ(*metadata.reals("reals"), (std::vector<double>{0.5, -2}));
}

TEST_F(GgufMetadataTest, WrongTypesAreNamed) {
  const std::vector<std::int32_t> numbers = {1};
  builder_.u32("n", 1);
  builder_.text("s", "x");
  builder_.i32s("array", numbers);
  builder_.u64("huge", 9223372036854775808U);
  const auto& metadata = read();
  EXPECT_EQ(metadata.string("n").error().message, "m.gguf: metadata 'n' is uint32 where string is expected");
  EXPECT_EQ(metadata.integer("s").error().message, "m.gguf: metadata 's' is string where an integer of 63 bits is expected");
  EXPECT_EQ(metadata.integer("huge").error().message,
            "m.gguf: metadata 'huge' is uint64 where an integer of 63 bits is expected");
  EXPECT_EQ(metadata.real("n").error().message, "m.gguf: metadata 'n' is uint32 where a float is expected");
  EXPECT_EQ(metadata.boolean("n").error().message, "m.gguf: metadata 'n' is uint32 where bool is expected");
  EXPECT_EQ(metadata.strings("array").error().message,
            "m.gguf: metadata 'array' is array of int32 where array of string is expected");
  EXPECT_EQ(metadata.reals("array").error().message,
            "m.gguf: metadata 'array' is array of int32 where array of floats is expected");
  EXPECT_FALSE(metadata.integers("s"));
  EXPECT_FALSE(metadata.strings("s"));
  EXPECT_EQ(metadata.string("n").error().code, Errc::kModelFormat);
}

TEST_F(GgufMetadataTest, FallbackReplacesAnAbsentKeyOnly) {
  builder_.text("s", "x");
  const auto& metadata = read();
  EXPECT_EQ(metadata.integer("absent").error().message, "m.gguf: metadata 'absent' is missing");
  EXPECT_FALSE(metadata.contains("absent"));
  EXPECT_TRUE(metadata.contains("s"));
  EXPECT_EQ(*metadata.integer_or("absent", 7), 7);
  EXPECT_EQ(*metadata.real_or("absent", 0.5), 0.5);
  EXPECT_TRUE(*metadata.boolean_or("absent", true));
  EXPECT_EQ(*metadata.string_or("absent", "y"), "y");
  EXPECT_EQ(*metadata.string_or("s", "y"), "x");
  EXPECT_FALSE(metadata.integer_or("s", 7));
  EXPECT_FALSE(metadata.real_or("s", 7));
  EXPECT_FALSE(metadata.boolean_or("s", true));
}

// An element count is of the declared type: reading uint8 as wider numbers would leave the array.
TEST_F(GgufMetadataTest, NarrowArraysAreReadAtTheirOwnWidth) {
  std::vector<std::byte> value = raw(std::uint32_t{0});  // uint8
  const auto count = raw(std::uint64_t{3});
  value.insert(value.end(), count.begin(), count.end());
  value.insert(value.end(), {std::byte{1}, std::byte{2}, std::byte{200}});
  builder_.raw("bytes", 9, value);
  EXPECT_EQ(*read().integers("bytes"), (std::vector<std::int64_t>{1, 2, 200}));
}

}  // namespace
}  // namespace mie
