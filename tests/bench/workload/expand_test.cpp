// What an expanded list holds: a function of its specification, one part of which leaves the others alone.
#include "tests/bench/workload/specs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace mie::bench {
namespace {

using std::chrono::nanoseconds;

constexpr const char* kRest =
    "output = { length = { dist = \"lognormal\", median = 96, sigma = 0.6, min = 8, max = 256 } }\n"
    "warmup = { requests = 3 }";

WorkloadSpec with(const std::string& arrival, const std::string& requests = "{ count = 200 }",
                  const std::string& rest = kRest) {
  return good(spec_text("requests = " + requests + "\narrival = { " + arrival + " }\n" + rest,
                        "length = { dist = \"lognormal\", median = 128, sigma = 0.8, min = 4, max = 1024 }"));
}

std::vector<std::pair<int, int>> lengths(const ExpandedWorkload& list) {
  std::vector<std::pair<int, int>> pairs;
  for (const PlannedRequest& request : list.requests) {
    if (!request.warmup) pairs.emplace_back(static_cast<int>(request.prompt.size()), request.output_tokens);
  }
  return pairs;
}

// The first five requests of `chat`, by a script with numpy and scipy that knows nothing of this code but the rules: keys by
// hashlib, Philox4x32-10 written again, lognorm.ppf, the copula by norm.cdf and norm.ppf, gaps −log(1 − u).
TEST(Expand, ChatIsWhatAnotherProgramMakesOfTheRules) {
  const auto list = expanded(shipped("chat"));
  const std::vector<std::pair<int, int>> pairs = {{619, 138}, {384, 118}, {89, 32}, {386, 68}, {482, 146}};
  const std::vector<double> seconds = {1.4081416820664443, 1.9932570186318157, 3.8919307127957365, 4.243109775174478,
                                       4.415403407119426};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(static_cast<int>(list.requests[i].prompt.size()), pairs[i].first);
    EXPECT_EQ(list.requests[i].output_tokens, pairs[i].second);
    EXPECT_EQ(list.requests[i].intended, nanoseconds(std::llround(seconds[i] * 1e9)));
  }
  const std::vector<std::int32_t> ids = {19806, 6839, 23694};  // of the first, behind three salted ones
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(list.requests[0].prompt[3 + i].value(), ids[i]);
}

TEST(Expand, IsAFunctionOfItsSpecification) {
  const WorkloadSpec spec = with("law = \"poisson\", rate = 2");
  EXPECT_EQ(expanded(spec).sha256(), expanded(spec).sha256());
  WorkloadSpec other = spec;
  other.seed = 8;
  EXPECT_NE(expanded(other).sha256(), expanded(spec).sha256());
}

TEST(Expand, TheArrivalLawLeavesLengthsAndContentAlone) {
  const auto poisson = expanded(with("law = \"poisson\", rate = 2")), burst = expanded(with("law = \"burst\""));
  EXPECT_EQ(lengths(poisson), lengths(burst));
  for (std::size_t i = 0; i < burst.requests.size(); ++i) EXPECT_EQ(poisson.requests[i].prompt, burst.requests[i].prompt);
  EXPECT_NE(poisson.sha256(), burst.sha256());
}

TEST(Expand, WarmupRequestsLeaveTheLoadAlone) {
  WorkloadSpec spec = with("law = \"burst\"");
  const auto three = lengths(expanded(spec));
  spec.warmup.requests = 0;
  EXPECT_EQ(lengths(expanded(spec)), three);
}

// The first warm-up request has draws of its own: by scipy and a Philox in Python, from the rules alone.
TEST(Expand, WarmupRequestsHaveDrawsOfTheirOwn) {
  WorkloadSpec spec = shipped("chat");
  spec.warmup = {.requests = 1};
  const auto list = expanded(spec);
  const PlannedRequest& first = list.requests.front();
  ASSERT_TRUE(first.warmup);
  EXPECT_EQ(first.prompt.size(), 818U);
  EXPECT_EQ(first.output_tokens, 122);
  const std::vector<TokenId> shown(first.prompt.begin() + 3, first.prompt.begin() + 6);
  EXPECT_EQ(shown, (std::vector<TokenId>{TokenId(4464), TokenId(19639), TokenId(27525)}));
}

TEST(Expand, WarmupRequestsGoFirstAndOneByOne) {
  const auto list = expanded(with("law = \"poisson\", rate = 2"));
  ASSERT_EQ(list.requests.size(), 203U);
  EXPECT_EQ(list.before_load().size(), 3U);
  EXPECT_EQ(list.load().front().index, 3);
  EXPECT_EQ(list.load().size(), 200U);
  for (int i = 0; i < 203; ++i) {
    const PlannedRequest& request = list.requests[static_cast<std::size_t>(i)];
    EXPECT_EQ(request.warmup, i < 3);
    EXPECT_EQ(request.intended.has_value(), i >= 3);
    EXPECT_EQ(request.session == -1, i < 3);
    EXPECT_EQ(request.index, i);
    if (i >= 3) EXPECT_EQ(request.seed, static_cast<std::uint64_t>(7 + i - 3));
  }
}

TEST(Expand, WarmupSecondsAreTheFirstOfTheLoad) {
  const auto list = expanded(with("law = \"constant\", rate = 2", "{ duration_s = 10 }",
                                  "output = { length = { dist = \"fixed\", value = 2 } }\nwarmup = { seconds = 3 }"));
  ASSERT_EQ(list.requests.size(), 26U);  // 0 s … 12.5 s
  EXPECT_EQ(std::ranges::count(list.requests, true, &PlannedRequest::warmup), 6);
  EXPECT_EQ(list.requests.back().intended, nanoseconds(12'500'000'000));
}

TEST(Expand, ACountIsOfTheMeasured) {
  const auto list = expanded(with("law = \"constant\", rate = 2", "{ count = 10 }",
                                  "output = { length = { dist = \"fixed\", value = 2 } }\nwarmup = { seconds = 3 }"));
  EXPECT_EQ(list.requests.size(), 16U);
}

TEST(Expand, ALawThatEndsBeforeTheCountIsAnError) {
  const auto list = expand(with("law = \"steps\", steps = [{ rate = 1, s = 10 }]"), ".");
  ASSERT_TRUE(list.has_error());
  EXPECT_NE(list.error().message.find("of requests.count = 200"), std::string::npos) << list.error().message;
}

TEST(Expand, ALawThatTakesThirtyYearsIsAnError) {
  EXPECT_TRUE(expand(with("law = \"constant\", rate = 1e-9"), ".").has_error());
  EXPECT_TRUE(expand(with("law = \"onoff\", rate = 1, on_s = 1e-9, off_s = 1e15"), ".").has_error());
}

TEST(Expand, MoreThanMemoryShouldHoldIsAnError) {
  const auto list = expand(good(spec_text("requests = { count = 300000 }\narrival = { law = \"burst\" }\n"
                                          "output = { length = { dist = \"fixed\", value = 2 } }",
                                          "length = { dist = \"fixed\", value = 1000 }\ncontent = { kind = \"repeat_id\" }")),
                           ".");
  ASSERT_TRUE(list.has_error());
}

TEST(Expand, AClosedLoopHasThinkTimesAndARamp) {
  const auto list =
      expanded(with("law = \"closed\", concurrency = 4, ramp_s = 2, think_s = { dist = \"fixed\", value = 0.5 }"));
  std::vector<std::int64_t> think_ms;
  for (std::size_t i = 3; i < 9; ++i) {
    EXPECT_FALSE(list.requests[i].intended);
    think_ms.push_back(list.requests[i].think.count() / 1'000'000);
  }
  EXPECT_EQ(think_ms, (std::vector<std::int64_t>{0, 500, 1000, 1500, 500, 500}));
}

TEST(Expand, AClosedLoopByTimeHasABoundedList) {
  EXPECT_EQ(expanded(with("law = \"closed\", concurrency = 2", "{ duration_s = 10 }")).requests.size(), 403U);
  EXPECT_EQ(expanded(with("law = \"closed\", concurrency = 64", "{ duration_s = 600 }",
                          "output = { length = { dist = \"fixed\", value = 2 } }"))
                .requests.size(),
            50'000U);
}

// Spearman's correlation of a Gaussian copula is 6/π·asin(ρ/2): 0.5819 for 0.6.
double rank_correlation(const std::vector<std::pair<int, int>>& pairs) {
  const auto ranks = [&pairs](auto value) {
    std::vector<std::size_t> order(pairs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(value(pairs[i]), i); });
    std::vector<double> rank(pairs.size());
    for (std::size_t r = 0; r < order.size(); ++r) rank[order[r]] = static_cast<double>(r);
    return rank;
  };
  const auto a = ranks([](const auto& pair) { return pair.first; }), b = ranks([](const auto& pair) { return pair.second; });
  const auto n = static_cast<double>(pairs.size());
  double squares = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return 1 - 6 * squares / (n * (n * n - 1));
}

TEST(Expand, LengthsAreCorrelatedAsAsked) {
  const auto pairs_with = [](double rho) {
    WorkloadSpec spec = with("law = \"burst\"", "{ count = 10000 }");
    spec.prompt.content.kind = ContentKind::kRepeatId;
    spec.output.rho = rho;
    return lengths(expanded(spec));
  };
  const auto apart = pairs_with(0), together = pairs_with(0.6);
  EXPECT_NEAR(rank_correlation(apart), 0, 0.04);
  EXPECT_NEAR(rank_correlation(together), 0.5819, 0.03);
  EXPECT_NEAR(rank_correlation(pairs_with(-1)), -1, 0.001);
  for (std::size_t i = 0; i < apart.size(); ++i) ASSERT_EQ(apart[i].first, together[i].first);  // prompts stay as they are
}

TEST(Expand, SharesOfClientsGoAwayAndReadSlowly) {
  const auto list = expanded(
      with("law = \"burst\"", "{ count = 4000 }",
           "output = { length = { dist = \"fixed\", value = 2 } }\n"
           "clients = { cancel = { share = 0.25, after_tokens = 3 }, slow_reader = { share = 0.5, bytes_per_s = 100 } }\n"
           "warmup = { requests = 50 }"));
  int n_cancel = 0, n_slow = 0, n_both = 0;
  for (const PlannedRequest& request : list.requests) {
    const bool cancels = request.cancel.after_tokens.has_value(), slow = request.read_bytes_per_s.has_value();
    if (request.warmup) EXPECT_FALSE(cancels || slow);
    if (cancels) EXPECT_EQ(request.cancel.after_tokens, 3);
    if (slow) EXPECT_EQ(request.read_bytes_per_s, 100);
    n_cancel += int{cancels};
    n_slow += int{slow};
    n_both += int{cancels && slow};
  }
  EXPECT_NEAR(n_cancel, 1000, 4 * std::sqrt(4000 * 0.25 * 0.75));
  EXPECT_NEAR(n_slow, 2000, 4 * std::sqrt(4000 * 0.5 * 0.5));
  EXPECT_NEAR(n_both, 500, 4 * std::sqrt(4000 * 0.125 * 0.875));  // drawn apart
}

TEST(Expand, TheHashSeesEveryMemberOfARequest) {
  PlannedRequest plain;
  plain.prompt = {TokenId(1)};
  std::set<std::string> texts{request_json(plain)};
  const auto differs = [&](auto change) {
    PlannedRequest other = plain;
    change(other);
    EXPECT_TRUE(texts.insert(request_json(other)).second);
  };
  differs([](PlannedRequest& r) { r.index = 1; });
  differs([](PlannedRequest& r) { r.warmup = true; });
  differs([](PlannedRequest& r) { r.intended = nanoseconds(0); });
  differs([](PlannedRequest& r) { r.think = nanoseconds(1); });
  differs([](PlannedRequest& r) { r.session = 1; });
  differs([](PlannedRequest& r) { r.turn = 1; });
  differs([](PlannedRequest& r) { r.prompt.emplace_back(2); });
  differs([](PlannedRequest& r) { r.text = "x"; });
  differs([](PlannedRequest& r) { r.output_tokens = 1; });
  differs([](PlannedRequest& r) { r.seed = 1; });
  differs([](PlannedRequest& r) { r.cancel.after = nanoseconds(1); });
  differs([](PlannedRequest& r) { r.cancel.after_tokens = 1; });
  differs([](PlannedRequest& r) { r.read_bytes_per_s = 1; });
}

}  // namespace
}  // namespace mie::bench
