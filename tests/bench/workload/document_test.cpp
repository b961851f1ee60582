// TOML and JSON as trees of values with lines, and back to canonical JSON.
#include "bench/workload/document/value.h"

#include <gtest/gtest.h>

namespace mie::bench {
namespace {

TEST(WorkloadDocument, TomlAndJsonSayTheSame) {
  const auto toml = parse_document("b = [1, 2.5]\n[a]\ny = true\nx = \"t\"\n", "f");
  const auto json = parse_document("{\"b\": [1, 2.5],\n \"a\": {\"y\": true, \"x\": \"t\"}}", "f");
  ASSERT_TRUE(toml.has_value() && json.has_value());
  EXPECT_EQ(canonical_json(toml->root), R"({"a":{"x":"t","y":true},"b":[1,2.5]})");
  EXPECT_EQ(canonical_json(json->root), canonical_json(toml->root));
}

TEST(WorkloadDocument, ValuesKnowTheirLines) {
  for (const char* text : {"\nb = 1\n[a]\n\nx = [\n1,\n2]\n", "\n{\"b\": 1,\n\"a\":\n\n{\"x\": [\n1,\n2]}}"}) {
    const auto document = parse_document(text, "f");
    ASSERT_TRUE(document.has_value()) << text;
    EXPECT_EQ(find(document->root, "b")->line, 2);
    EXPECT_EQ(find(document->root, "a.x")->line, 5);
    EXPECT_EQ(find(document->root, "a.x[1]")->line, 7);
    EXPECT_EQ(find(document->root, "a.y"), nullptr);
    EXPECT_EQ(fault_at(*document, "a.x[1]", "is two").message, "f:7: a.x[1] is two");
  }
}

TEST(WorkloadDocument, NumbersAreShortestAndReadBackAlike) {
  const auto document = parse_document("{\"a\":0.1,\"b\":1e22,\"c\":-0.0,\"d\":9007199254740993,\"e\":2.0}", "f");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(canonical_json(document->root), R"({"a":0.1,"b":1e+22,"c":0,"d":9007199254740993,"e":2})");
}

TEST(WorkloadDocument, WhatIsNoDocumentIsRefusedWithItsLine) {
  const auto message = [](const std::string& text) { return parse_document(text, "f").error().message; };
  EXPECT_EQ(message("a = 1\nb = \n").substr(0, 4), "f:2:");
  EXPECT_EQ(message("a = 1\na = 2\n").substr(0, 4), "f:2:");
  EXPECT_EQ(message("a = 1979-05-27\n"), "f:1: dates and times are not values here");
  EXPECT_EQ(message("{\"a\": 1,\n\"a\": 2}"), "f:2: a is given twice");
  EXPECT_EQ(message("{\"a\":\nnull}"), "f:2: null is not a value here: leave the key out");
  EXPECT_EQ(message("{\"a\": 1} {}").substr(0, 3), "f: ");
  EXPECT_EQ(message("{\"a\": [1, 2}").substr(0, 2), "f:");
  EXPECT_EQ(message("{\"a\": 1e999}").substr(0, 2), "f:");
  std::string deep = "{\"a\":";
  for (int i = 0; i < 40; ++i) deep += '[';
  for (int i = 0; i < 40; ++i) deep += ']';
  EXPECT_EQ(message(deep + "}"), "f:1: is nested too deeply");
}

TEST(WorkloadDocument, AMissingFileIsAnError) {
  EXPECT_EQ(read_document("tests/no_such.toml").error().message, "no_such.toml: cannot be read");
}

}  // namespace
}  // namespace mie::bench
