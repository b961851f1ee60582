#include "models/sampling/top_candidates.h"

#include "models/sampling/exponential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace mie {
namespace {

constexpr float kHuge = std::numeric_limits<float>::max();

void sort_best_first(std::vector<Candidate>& all) {
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.logit > b.logit || (a.logit == b.logit && a.id < b.id); });
}

TEST(TopCandidates, SelectBestIsTheHeadOfTheSortedOrder) {
  std::mt19937_64 random(3);
  std::vector<Candidate> best;
  BlockMaxima maxima(4000);
  for (int round = 0; round < 2000; ++round) {
    std::vector<float> logits(random() % (round % 10 == 0 ? 4000 : 400) + 1);
    std::vector<Candidate> all;
    for (float& logit : logits) {
      logit = static_cast<float>(random() % 20);
      all.push_back({.logit = logit, .weight = 0, .id = static_cast<std::int32_t>(all.size())});
    }
    const std::size_t k = random() % (all.size() + 20) + 1;
    ASSERT_TRUE(maxima.measure(logits));
    select_best(logits, maxima, k, best);
    sort_best_first(best);
    sort_best_first(all);
    ASSERT_EQ(best.size(), std::min(k, all.size()));
    for (std::size_t i = 0; i < best.size(); ++i) ASSERT_EQ(best[i].id, all[i].id);
  }
}

// Whole weights, so that every order of addition gives the same sum; any width of slice must give the same end.
TEST(TopCandidates, EndOfMassIsTheEndOfTheSortedPrefix) {
  std::mt19937_64 random(4);
  std::vector<Candidate> scratch;
  for (int round = 0; round < 10'000; ++round) {
    std::vector<Candidate> all(random() % 60 + 1);
    double total = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto level = static_cast<float>(random() % 12);
      all[i] = {.logit = level - 6, .weight = level, .id = static_cast<std::int32_t>(i)};
      total += level;
    }
    const auto mass = static_cast<double>(random() % (static_cast<std::uint64_t>(total) + 3));  // also 0, and past the total
    const float until = static_cast<float>(random() % 30) - 20;
    const auto end = end_of_mass(all, mass, until, scratch);
    sort_best_first(all);
    std::size_t n = 0;
    double sum = 0;
    do sum += all[n++].weight;
    while (n < all.size() && sum < mass);
    ASSERT_EQ(end.id, all[n - 1].id) << "round " << round;
  }
}

TEST(TopCandidates, EndOfMassBearsAnyFloat) {
  std::vector<Candidate> scratch;
  const std::vector<Candidate> all = {{kHuge, 1, 0}, {-kHuge, 0, 1}, {0, 0, 2}};
  for (const float until : {-std::numeric_limits<float>::infinity(), -kHuge, 0.0F, std::nextafter(kHuge, 0.0F), kHuge}) {
    EXPECT_EQ(end_of_mass(all, 0.5, until, scratch).id, 0) << until;
    EXPECT_EQ(end_of_mass(all, 2, until, scratch).id, 1) << until;
  }
}

TEST(TopCandidates, MassIsTheSumOfWeights) {
  std::vector<Candidate> all;
  for (int n = 0; n < 20; ++n) {
    EXPECT_EQ(mass_of(all), n * (n + 1) / 2);
    all.push_back({.logit = 0, .weight = static_cast<float>(n + 1), .id = n});
  }
}

TEST(Exponential, IsWithin2UlpOfTheTrueValue) {
  for (int i = 0; i <= 870'000; ++i) {
    const float x = -static_cast<float>(i) * 1e-4F;
    const double truth = std::exp(static_cast<double>(x));
    const auto nearest = static_cast<float>(truth);
    const double ulp = std::nextafter(nearest, kHuge) - nearest;
    ASSERT_LE(std::abs(exp_nonpositive(x) - truth), 2 * ulp) << x;
  }
}

TEST(Exponential, HasItsEnds) {
  EXPECT_EQ(exp_nonpositive(0), 1);
  EXPECT_EQ(exp_nonpositive(-0.0F), 1);
  EXPECT_EQ(exp_nonpositive(-88), 0);
  EXPECT_EQ(exp_nonpositive(-kHuge), 0);
  EXPECT_EQ(exp_nonpositive(-std::numeric_limits<float>::infinity()), 0);
}

}  // namespace
}  // namespace mie
