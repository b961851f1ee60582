#include "core/text/stop_matcher.h"

#include "core/base/ensure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace mie {
namespace {

struct Output {
  std::string text;
  std::optional<std::string> match;
  friend bool operator==(const Output&, const Output&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Output& o) {
    return out << '"' << o.text << "\" stopped by " << o.match.value_or("nothing");
  }
};

// Whole-text search, by the words of the interface: the match that ends first, of two that end together the longer.
Output search(const std::string& text, const std::vector<std::string>& stops, bool include) {
  for (std::size_t end = 1; end <= text.size(); ++end) {
    const std::string seen = text.substr(0, end);
    std::optional<std::string> match;
    for (const std::string& stop : stops) {
      if (seen.ends_with(stop) && (!match || stop.size() > match->size())) match = stop;
    }
    if (match) return {include ? seen : seen.substr(0, end - match->size()), match};
  }
  return {text, std::nullopt};
}

// Bytes at the end of `text` that could begin a stop string, as many as possible.
std::size_t undecided(const std::string& text, const std::vector<std::string>& stops) {
  for (std::size_t n = text.size(); n > 0; --n) {
    const std::string tail = text.substr(text.size() - n);
    if (std::ranges::any_of(stops, [&](const std::string& stop) { return stop.starts_with(tail); })) return n;
  }
  return 0;
}

std::string random_text(std::mt19937& random, std::size_t min_length, std::size_t max_length) {
  std::string text(std::uniform_int_distribution(min_length, max_length)(random), ' ');
  for (char& c : text) c = static_cast<char>('a' + std::uniform_int_distribution(0, 2)(random));
  return text;
}

TEST(StopMatcher, EqualsWholeTextSearchHoweverTheTextIsSplit) {
  std::mt19937 random(7);
  int n_matches = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::string> stops(std::uniform_int_distribution<std::size_t>(0, 4)(random));
    for (std::string& stop : stops) stop = random_text(random, 1, 7);
    const std::string text = random_text(random, 0, 40);
    const bool include = round % 2 == 0;
    StopMatcher matcher(stops, include);
    Output got;
    std::string pushed;
    while (pushed.size() < text.size() && !got.match) {
      const std::string piece = text.substr(pushed.size(), std::uniform_int_distribution<std::size_t>(0, 6)(random));
      pushed += piece;
      const StopMatcher::Step step = matcher.push(piece);
      got.text += step.text;
      got.match = step.match;
      if (!got.match)
        ASSERT_EQ(got.text.size(), pushed.size() - undecided(pushed, stops)) << "held back too much or too little";
    }
    if (!got.match) got.text += matcher.finish();
    ASSERT_EQ(got, search(text, stops, include)) << text << testing::PrintToString(stops);
    if (got.match) ++n_matches;
  }
  EXPECT_GT(n_matches, 5'000);
}

TEST(StopMatcher, NoCharacterOfAMatchOverSeveralPiecesIsReleased) {
  StopMatcher matcher({"STOP"});
  EXPECT_EQ(matcher.push("go S").text, "go ");
  EXPECT_EQ(matcher.push("TO").text, "");
  const StopMatcher::Step step = matcher.push("P and more");
  EXPECT_EQ(step.text, "");
  EXPECT_EQ(step.match, "STOP");
  EXPECT_EQ(matcher.finish(), "");
}

TEST(StopMatcher, AMatchInsideOnePieceCutsAtTheCharacter) {
  StopMatcher matcher({"\n"});
  const StopMatcher::Step step = matcher.push("é!\nx");
  EXPECT_EQ(step.text, "é!");
  EXPECT_EQ(step.match, "\n");
}

TEST(StopMatcher, WhatFailsToMatchIsReleasedOnce) {
  StopMatcher matcher({"aab"});
  EXPECT_EQ(matcher.push("aa").text, "");
  EXPECT_EQ(matcher.push("a").text, "a");
  EXPECT_EQ(matcher.push("c").text, "aac");
  EXPECT_EQ(matcher.push("aa").text, "");
  EXPECT_EQ(matcher.finish(), "aa");
  EXPECT_EQ(matcher.finish(), "");
}

TEST(StopMatcher, TheMatchThatEndsFirstWins) {
  StopMatcher matcher({"abc", "ab"});
  const StopMatcher::Step step = matcher.push("xabc");
  EXPECT_EQ(step.text, "x");
  EXPECT_EQ(step.match, "ab");
  StopMatcher longer_began_first({"abcd", "bc"});
  EXPECT_EQ(longer_began_first.push("abcd").text, "a");
}

TEST(StopMatcher, OfTwoThatEndTogetherTheLongerWins) {
  for (const auto& stops : {std::vector<std::string>{"bc", "abc"}, std::vector<std::string>{"abc", "bc"}}) {
    StopMatcher matcher(stops);
    const StopMatcher::Step step = matcher.push("xabc");
    EXPECT_EQ(step.text, "x");
    EXPECT_EQ(step.match, "abc");
  }
}

TEST(StopMatcher, IncludeReleasesTheStopStringAndNothingAfterIt) {
  StopMatcher matcher({"abc", "ab"}, /*include=*/true);
  EXPECT_EQ(matcher.push("xa").text, "x");
  const StopMatcher::Step step = matcher.push("bcd");
  EXPECT_EQ(step.text, "ab");
  EXPECT_EQ(step.match, "ab");
}

TEST(StopMatcher, WithoutStopStringsNothingIsHeldBack) {
  StopMatcher matcher({});
  EXPECT_EQ(matcher.push(" \n").text, " \n");
  EXPECT_EQ(matcher.finish(), "");
}

TEST(StopMatcher, MisuseIsABug) {
  EXPECT_THROW(StopMatcher({"a", ""}), InvariantError);
  StopMatcher matcher({"a"});
  (void)matcher.push("a");
  EXPECT_THROW((void)matcher.push("b"), InvariantError);
}

// The worst case of a naive search: 16 stop strings of 1 KiB that all but match at each of a million positions.
TEST(StopMatcher, NearlyMatchingTextCostsLinearTime) {
  std::vector<std::string> stops;
  for (char last = 'b'; last < 'b' + 16; ++last) stops.push_back(std::string(1023, 'a') + last);
  StopMatcher matcher(stops);
  std::string out;
  const std::clock_t begin = std::clock();
  for (int i = 0; i < 250'000; ++i) out += matcher.push("aaaa").text;
  EXPECT_LT(std::clock() - begin, 20 * CLOCKS_PER_SEC);
  EXPECT_EQ(out.size(), 1'000'000u - 1023u);
  EXPECT_EQ(matcher.push("q").match, stops.back());
}

}  // namespace
}  // namespace mie
