// Distances and bounds of the divergence finder against hand-computed numbers.
#include "bench/diff/compare.h"

#include "bench/diff/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mie::diff {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const TensorId kQ{.layer = 0, .point = TapPoint::kQ};
const TensorId kLogits{.layer = -1, .point = TapPoint::kLogits};

// A record of tensors whose rows are given by position.
Record record(std::map<TensorId, std::vector<Row>> tensors, Numerics numerics = {}) {
  const std::size_t n = tensors.begin()->second.size();
  Record made{.made_by = "test", .numerics = std::move(numerics), .tokens = std::vector<TokenId>(n, TokenId(1)), .n_prompt = 1};
  made.tensors = std::move(tensors);
  return made;
}

TEST(Compare, DistancesAreThoseOfTheDefinitions) {
  const auto result = compare(record({{kQ, {{3, 4}, {6, 8}}}}), record({{kQ, {{3, 5}, {6, 8}}}})).value();
  ASSERT_EQ(result.tensors.size(), 1U);
  const Distance& distance = result.tensors.front().distance;
  EXPECT_DOUBLE_EQ(distance.max_abs, 1);
  EXPECT_DOUBLE_EQ(distance.rms, 0.5);       // √(1 / 4)
  EXPECT_DOUBLE_EQ(distance.relative, 0.2);  // 1 / 5, of the first row
  EXPECT_EQ(result.first_different->position, 0);
  EXPECT_DOUBLE_EQ(result.first_different->distance.rms, std::sqrt(0.5));
}

TEST(Compare, TheLowestPositionComesBeforeTheFirstTensor) {
  const TensorId k{.layer = 0, .point = TapPoint::kK};
  const auto result = compare(record({{kQ, {{1}, {1}}}, {k, {{1}, {1}}}}), record({{kQ, {{1}, {9}}}, {k, {{9}, {1}}}})).value();
  EXPECT_EQ(result.first_above->position, 0);
  EXPECT_EQ(name_of(result.first_above->tensor), "layer 0 k");
}

TEST(Compare, TensorsAreInTheOrderOfTheForwardPass) {
  const TensorId embed{.layer = -1, .point = TapPoint::kEmbed}, residual{.layer = 0, .point = TapPoint::kResidual};
  const TensorId next{.layer = 1, .point = TapPoint::kAttnNorm}, norm{.layer = -1, .point = TapPoint::kFinalNorm};
  EXPECT_LT(embed, kQ);
  EXPECT_LT(kQ, residual);
  EXPECT_LT(residual, next);
  EXPECT_LT(next, norm);
  EXPECT_LT(norm, kLogits);
}

TEST(Compare, WhatIsNotFiniteOnOneSideIsInfinitelyFar) {
  for (const float broken : {kNan, std::numeric_limits<float>::infinity()}) {
    const auto result = compare(record({{kQ, {{1, 2}}}}), record({{kQ, {{1, broken}}}})).value();
    ASSERT_TRUE(result.first_above);
    EXPECT_TRUE(std::isinf(result.first_above->distance.max_abs));
    EXPECT_FALSE(compare(record({{kQ, {{1, broken}}}}), record({{kQ, {{1, broken}}}})).value().first_different);
  }
}

TEST(Compare, EqualBitsPromisedMeansNoBitMayDiffer) {
  const Numerics native{Arithmetic::kBf16, "native"};
  const Row a = {1}, b = {std::nextafter(1.0F, 2.0F)};
  EXPECT_TRUE(compare(record({{kQ, {a}}}, native), record({{kQ, {b}}}, native)).value().first_above);
  const auto other = compare(record({{kQ, {a}}}, native), record({{kQ, {b}}}, {Arithmetic::kBf16, "other"})).value();
  EXPECT_TRUE(other.first_different);
  EXPECT_FALSE(other.first_above);
}

TEST(Compare, ATokenMayDifferOnlyWhereLogitsTie) {
  Record a = record({{kLogits, {{1.00F, 1.01F, 0}}}}), b = record({{kLogits, {{1.02F, 1.00F, 0}}}});
  a.numerics = b.numerics = {Arithmetic::kBf16, ""};
  a.next = {TokenId(1)};
  b.next = {TokenId(0)};
  const auto tie = compare(a, b).value();
  EXPECT_FALSE(tie.first_above);  // 0.01 apart, logits up to 0.02 off
  b.next = {TokenId(2)};
  const auto wrong = compare(a, b).value();
  ASSERT_TRUE(wrong.first_above);
  EXPECT_EQ(wrong.first_above->stage, Stage::kNextToken);
}

TEST(Compare, ModelsOfOtherShapesAreRefused) {
  const auto result = compare(record({{kQ, {{1, 2}}}}), record({{kQ, {{1, 2, 3}}}}));
  ASSERT_TRUE(result.has_error());
  EXPECT_EQ(result.error().code, Errc::kConfig);
}

TEST(Compare, WhatOnlyOneSideHasIsNamed) {
  const auto result = compare(record({{kQ, {{1}}}}), record({{kQ, {{1}}}, {kLogits, {{1}}}})).value();
  ASSERT_EQ(result.not_compared.size(), 1U);
  EXPECT_EQ(name_of(result.not_compared.front()), "logits");
}

TEST(ExpectedDifference, GrowsWithTheRootOfTheBlocksBefore) {
  const Numerics fp32{Arithmetic::kFp32, ""}, bf16{Arithmetic::kBf16, ""}, w4a8{Arithmetic::kW4A8, "native"};
  const auto at = [](int layer, TapPoint point) { return TensorId{.layer = layer, .point = point}; };
  const double embed = expected_difference(bf16, bf16, at(-1, TapPoint::kEmbed), 4);
  EXPECT_DOUBLE_EQ(embed, 32 * std::sqrt(2) / 512);
  EXPECT_DOUBLE_EQ(expected_difference(bf16, bf16, at(0, TapPoint::kAttnOut), 4), embed);
  EXPECT_DOUBLE_EQ(expected_difference(bf16, fp32, at(0, TapPoint::kFfnOut), 4),
                   64 * std::hypot(0x1p-9, 0x1p-20) * std::sqrt(2));
  EXPECT_EQ(expected_difference(bf16, bf16, at(29, TapPoint::kFfnOut), 30), 0.5);                  // not 64 √2 / 512 * √60
  EXPECT_DOUBLE_EQ(expected_difference(bf16, bf16, at(1, TapPoint::kResidualMid), 4), embed * 2);  // √(1 + 3)
  EXPECT_DOUBLE_EQ(expected_difference(bf16, bf16, at(3, TapPoint::kResidual), 4), embed * 3);     // √(1 + 8)
  EXPECT_DOUBLE_EQ(expected_difference(bf16, bf16, at(-1, TapPoint::kLogits), 4), embed * 3);
  EXPECT_LT(expected_difference(fp32, fp32, at(3, TapPoint::kResidual), 4), 2e-4);
  EXPECT_GT(expected_difference(fp32, w4a8, at(0, TapPoint::kQ), 4), expected_difference(fp32, bf16, at(0, TapPoint::kQ), 4));
  EXPECT_EQ(expected_difference(w4a8, w4a8, at(3, TapPoint::kResidual), 4), 0);
}

TEST(DiffReport, NamesThePlaceAndWhatToLookAt) {
  const Numerics native{Arithmetic::kBf16, "native"};
  const Record a = record({{kQ, {{3, 4}, {3, 4}}}}, native), b = record({{kQ, {{3, 4}, {3, 9}}}}, native);
  const auto comparison = compare(a, b).value();
  EXPECT_TRUE(diverged(a, b, comparison));
  const std::string text = as_text(a, b, comparison, Detail::kTensors);
  EXPECT_NE(text.find("verdict           DIVERGES at layer 0 q, position 1 (decode 1): max |a-b| 5, RMS 3.54, relative 1, "
                      "expected 0\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("rotary"), std::string::npos);
  EXPECT_NE(as_text(a, a, compare(a, a).value(), Detail::kLayers).find("equal, bit for bit"), std::string::npos);
}

TEST(DiffReport, ASideThatStoppedDiverges) {
  const Record a = record({{kQ, {{1}}}});
  Record b = a;
  b.failure = "logits are not numbers";
  const auto comparison = compare(a, b).value();
  EXPECT_TRUE(diverged(a, b, comparison));
  EXPECT_NE(as_text(a, b, comparison, Detail::kLayers).find("logits are not numbers"), std::string::npos);
}

}  // namespace
}  // namespace mie::diff
