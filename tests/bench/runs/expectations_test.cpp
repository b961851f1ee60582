// Is the server the one that a workload is for? Its answers are written here as interface and peers have them.
#include "bench/run/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::bench::test {
namespace {

constexpr const char* kOurs =
    R"({"id":"M","object":"model","meta":{"architecture":"llama","weight_format":"Q4_1","kv_dtype":"bf16",)"
    R"("weights_sha256":"aa11","tokenizer_sha256":"bb22"}})";

std::string refusal(const ExpectSpec& expected, const std::string& model_json) {
  const auto error = unexpected_server(expected, identity_of(model_json));
  return error ? error->message : "";
}

TEST(Expectations, AServerThatIsTheOneIsTaken) {
  EXPECT_EQ(refusal({}, ""), "") << "anything is expected";
  EXPECT_EQ(refusal({.weights_sha256 = "AA11", .tokenizer_sha256 = "bb22", .quantisation = "q4_1"}, kOurs), "");
}

TEST(Expectations, AnotherServerIsRefusedWithWhatItSays) {
  EXPECT_EQ(refusal({.weights_sha256 = "cc33"}, kOurs), "target.expect.weights_sha256: the server has aa11, not cc33");
  EXPECT_EQ(refusal({.quantisation = "none"}, kOurs), "target.expect.quantisation: the server has Q4_1, not none");
}

TEST(Expectations, WhatIsNotToldMayBeAnything) {
  EXPECT_EQ(refusal({.revision = "main"}, kOurs), "target.expect.revision: the server does not tell; main is expected");
  EXPECT_EQ(refusal({.dtype = "bf16"}, kOurs), "target.expect.dtype: the server does not tell; bf16 is expected");
  for (const char* other : {"", "no JSON", R"({"id":"M","meta":{"n_vocab":7}})", R"({"id":"M"})"})
    EXPECT_EQ(refusal({.weights_sha256 = "aa11"}, other),
              "target.expect.weights_sha256: the server does not tell; aa11 is expected");
}

TEST(Expectations, WeightsThatAreNotQuantisedHaveADtype) {
  const char* plain = R"({"meta":{"weight_format":"BF16","weights_sha256":null}})";
  EXPECT_EQ(refusal({.dtype = "bf16", .quantisation = "none"}, plain), "");
  EXPECT_NE(refusal({.dtype = "f16"}, plain), "");
}

}  // namespace
}  // namespace mie::bench::test
