#include "bench/kv/length_lists.h"

#include "bench/compat/python_random.h"
#include "core/base/file_digest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <functional>
#include <numeric>
#include <span>

namespace mie::bench {
namespace {

constexpr int kSequences = 1000;

LengthList drawn(const char* name, const std::function<int()>& draw) {
  LengthList list{.name = name, .lengths = {}};
  for (int i = 0; i < kSequences; ++i) list.lengths.push_back(draw());
  return list;
}

// One of five classes, each as likely; all five are drawn, so that the number of words does not depend on the choice.
int mixed_length(PythonRandom& random) {
  std::array<int, 5> classes{};
  constexpr std::array<std::array<int, 2>, 5> kBounds = {{{8, 64}, {65, 256}, {257, 768}, {769, 1536}, {1537, 2048}}};
  for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = random.uniform(kBounds[i][0], kBounds[i][1]);
  return random.choice(classes);
}

}  // namespace

std::int64_t LengthList::sum() const { return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}); }

std::string LengthList::sha256() const {
  const std::string joined = fmt::format("{}", fmt::join(lengths, ","));
  return sha256_of(std::as_bytes(std::span(joined)));
}

std::vector<LengthList> kv_length_lists(std::uint64_t seed) {
  PythonRandom random(seed);
  std::vector<LengthList> lists;
  lists.push_back(drawn("many_short", [&] { return random.uniform(8, 64); }));
  lists.push_back(drawn("mixed", [&] { return mixed_length(random); }));
  lists.push_back(drawn("many_long", [&] { return random.uniform(512, kLongestSequence); }));
  return lists;
}

}  // namespace mie::bench
