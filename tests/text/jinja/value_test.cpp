#include "core/text/jinja/value.h"

#include "core/text/jinja/dict.h"
#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/number.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

namespace mie::jinja {
namespace {

TEST(Value, DefaultIsUndefined) { EXPECT_TRUE(Value().is(Kind::kUndefined)); }

TEST(Value, KindsFollowTheConstructors) {
  EXPECT_EQ(Value::none().kind(), Kind::kNone);
  EXPECT_EQ(Value::boolean(true).kind(), Kind::kBoolean);
  EXPECT_EQ(Value::integer(1).kind(), Kind::kInteger);
  EXPECT_EQ(Value::real(1).kind(), Kind::kReal);
  EXPECT_EQ(Value::text("").kind(), Kind::kString);
  EXPECT_EQ(Value::list({}).kind(), Kind::kList);
  EXPECT_EQ(Value::tuple({}).kind(), Kind::kTuple);
  EXPECT_EQ(Value::dict(Dict()).kind(), Kind::kDict);
}

TEST(Value, InputIsMarkedAndTextIsNot) {
  EXPECT_EQ(Value::input("ab").as_string().marks(), (std::vector<ByteRange>{{0, 2}}));
  EXPECT_TRUE(Value::text("ab").as_string().marks().empty());
}

TEST(Value, KeysOfRequestObjectsAreMarked) {
  const Value dict = Value::dict({{"key", Value::integer(1)}});
  EXPECT_EQ(dict.as_dict().entries()[0].first.as_string().marks(), (std::vector<ByteRange>{{0, 3}}));
}

TEST(Value, DepthCountsContainers) {
  EXPECT_EQ(Value::integer(1).depth(), 0);
  EXPECT_EQ(Value::list({}).depth(), 1);
  EXPECT_EQ(Value::list({Value::integer(1), Value::dict({{"a", Value::tuple({})}})}).depth(), 3);
}

TEST(Dict, LastValueOfAKeyWinsAndKeepsItsPlace) {
  const Value dict = Value::dict({{"a", Value::integer(1)}, {"b", Value::integer(2)}, {"a", Value::integer(3)}});
  ASSERT_EQ(dict.as_dict().size(), 2u);
  EXPECT_EQ(dict.as_dict().entries()[0].first.as_string().text(), "a");
  EXPECT_EQ(dict.as_dict().entries()[0].second.as_integer(), 3);
}

TEST(Dict, NumbersThatAreEqualAreOneKey) {
  Dict dict;
  dict.set(Value::integer(1), Value::text("int"));
  dict.set(Value::boolean(true), Value::text("bool"));
  dict.set(Value::real(1.0), Value::text("real"));
  ASSERT_EQ(dict.size(), 1u);
  EXPECT_EQ(dict.entries()[0].second.as_string().text(), "real");
}

TEST(Dict, AgreesWithAMapOverRandomKeys) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    Dict dict;
    std::map<std::string, std::int64_t> model;
    for (std::int64_t i = 0; i < 300; ++i) {
      const std::string key = std::to_string(random() % 40);
      // A short and a heap-allocated form, so that views into moved strings would show.
      const std::string name = random() % 2 == 0 ? key : key + std::string(40, 'x');
      dict.set(Value::text(name), Value::integer(i));
      dict.set(Value::integer(static_cast<std::int64_t>(random() % 5)), Value::none());
      model[name] = i;
    }
    for (const auto& [key, value] : model) {
      ASSERT_NE(dict.find(key), nullptr);
      ASSERT_EQ(dict.find(key)->as_integer(), value);
    }
    const Dict copy = dict;
    ASSERT_EQ(copy.find("none such"), nullptr);
    ASSERT_EQ(copy.find(model.begin()->first)->as_integer(), model.begin()->second);
  }
}

TEST(Number, IntegersThatOverflowAreErrors) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(), kLeast = std::numeric_limits<std::int64_t>::min();
  const auto fails = [](Arithmetic operation, std::int64_t a, std::int64_t b) {
    return calculate(operation, Value::integer(a), Value::integer(b)).has_error();
  };
  EXPECT_TRUE(fails(Arithmetic::kAdd, kMost, 1));
  EXPECT_TRUE(fails(Arithmetic::kSubtract, kLeast, 1));
  EXPECT_TRUE(fails(Arithmetic::kMultiply, kMost, 2));
  EXPECT_TRUE(fails(Arithmetic::kFloorDivide, kLeast, -1));
  EXPECT_FALSE(fails(Arithmetic::kModulo, kLeast, -1));
  EXPECT_TRUE(fails(Arithmetic::kPower, 10, 19));
  EXPECT_FALSE(fails(Arithmetic::kPower, 10, 18));
  EXPECT_FALSE(fails(Arithmetic::kPower, -2, 63));
  EXPECT_TRUE(negate(Value::integer(kLeast)).has_error());
}

}  // namespace
}  // namespace mie::jinja
