// The grammar of a side of `mie diff`.
#include "bench/diff/mode.h"

#include <gtest/gtest.h>

namespace mie::diff {
namespace {

std::string refusal(const std::string& text) {
  const auto mode = parse_mode(text, {});
  return mode.has_error() ? mode.error().message : "accepted";
}

TEST(DiffMode, KeysChangeTheSettingsTheyName) {
  Config base;
  base.threads = 3;
  const auto mode = parse_mode("native,isa=scalar,attn=naive,compute=w4a16,block-size=8,chunk=16,batch=4", base);
  ASSERT_TRUE(mode.has_value()) << mode.error().message;
  EXPECT_EQ(mode->config.backend, "native");
  EXPECT_EQ(mode->config.isa, "scalar");
  EXPECT_EQ(mode->config.attn, "naive");
  EXPECT_EQ(mode->config.compute, "w4a16");
  EXPECT_EQ(mode->config.block_size, "8");
  EXPECT_EQ(mode->config.threads, 3);
  EXPECT_EQ(mode->arrangement.chunk, 16);
  EXPECT_EQ(mode->arrangement.batch, 4);
  EXPECT_TRUE(mode->arrangement.cached);
}

TEST(DiffMode, TorchDumpsAndKindsOfCache) {
  EXPECT_EQ(parse_mode("torch,dtype=fp32", {})->config.dtype, "fp32");
  EXPECT_EQ(parse_mode("native,kv=contiguous", {})->config.block_size, "max");
  EXPECT_FALSE(parse_mode("native,kv=none", {})->arrangement.cached);
  EXPECT_EQ(parse_mode("dump:some,file", {})->dump, "some,file");
}

TEST(DiffMode, WhatIsWrongIsSaid) {
  EXPECT_EQ(refusal("cuda"), "mode cuda: starts with native or torch, or is dump:FILE");
  EXPECT_EQ(refusal("dump:"), "mode dump:: dump: names a file");
  EXPECT_EQ(refusal("native,chunk"), "mode native,chunk: KEY=VALUE, got \"chunk\"");
  EXPECT_EQ(refusal("native,chunk=0"), "mode native,chunk=0: chunk: must be an integer between 1 and 65536");
  EXPECT_EQ(refusal("native,kv=big"), "mode native,kv=big: kv: must be one of paged, contiguous, none");
  EXPECT_EQ(refusal("native,compute=w8"), "mode native,compute=w8: compute: must be one of w4a8, w4a16");
  EXPECT_EQ(refusal("native,port=1"),
            "mode native,port=1: the keys are isa, kernels, attn, compute, dtype, kv-dtype, threads, block-size, kv, chunk, "
            "batch, got \"port\"");
  EXPECT_EQ(refusal("native,chunk=1,chunk=2"), "mode native,chunk=1,chunk=2: chunk is given twice");
  EXPECT_NE(refusal("native,kv=contiguous,block-size=8"), "accepted");
  EXPECT_NE(refusal("native,kv=none,chunk=8"), "accepted");
}

}  // namespace
}  // namespace mie::diff
