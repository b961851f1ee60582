// The seed's workloads, through the shipped files: its lists of lengths are published, and Python's generator makes them.
#include "core/base/file_digest.h"
#include "tests/bench/workload/specs.h"

#include <algorithm>
#include <set>

namespace mie::bench {
namespace {

struct Pairs {
  std::vector<int> prompts, outputs;
  std::string text;  // "p:o" joined by commas
};

Pairs measured(const ExpandedWorkload& list) {
  Pairs pairs;
  for (const PlannedRequest& request : list.requests) {
    if (request.warmup) continue;
    pairs.prompts.push_back(static_cast<int>(request.prompt.size()));
    pairs.outputs.push_back(request.output_tokens);
    pairs.text +=
        (pairs.text.empty() ? "" : ",") + std::to_string(request.prompt.size()) + ":" + std::to_string(request.output_tokens);
  }
  return pairs;
}

TEST(SeedWorkloads, MixedIsThePublishedList) {
  const Pairs pairs = measured(expanded(shipped("mixed")));
  EXPECT_EQ(pairs.prompts, (std::vector{32,  512, 64, 512, 512, 64,  512, 32,  32,  32,  128, 256, 128, 256, 128, 512,
                                        128, 64,  32, 128, 256, 256, 32,  512, 256, 256, 512, 512, 64,  512, 512, 256}));
  EXPECT_EQ(pairs.outputs, (std::vector{128, 32,  256, 256, 256, 32,  32,  128, 256, 256, 64, 128, 128, 32, 32,  128,
                                        256, 128, 128, 256, 32,  256, 256, 256, 128, 256, 32, 64,  32,  32, 256, 64}));
  EXPECT_EQ(sha256_of(std::as_bytes(std::span(pairs.text))),
            "96845f1eaf18018d061679e6e8b5dc418b333dceeb917ce37bece0381af34b3a");
}

struct SeedCase {
  const char* name;
  std::int64_t seed;
  std::size_t count;
  int n_warmup, repetitions, prompt, output;
};

TEST(SeedWorkloads, FilesHaveTheSeedsValues) {
  for (const SeedCase& each : {SeedCase{"batch1", 2026, 1, 2, 10, 128, 64}, SeedCase{"batch8", 2026, 8, 2, 10, 128, 64},
                               SeedCase{"batch32", 2026, 32, 2, 10, 128, 64}, SeedCase{"s1_seed", 42, 20, 5, 1, 512, 128}}) {
    const WorkloadSpec spec = shipped(each.name);
    EXPECT_EQ(spec.compat, Compat::kPython);
    EXPECT_EQ(spec.seed, each.seed);
    EXPECT_EQ(spec.warmup.requests, each.n_warmup);
    EXPECT_EQ(spec.repetitions.n, each.repetitions);
    EXPECT_EQ(spec.sampling.temperature, 0);
    const Pairs pairs = measured(expanded(spec));
    EXPECT_EQ(pairs.prompts, std::vector<int>(each.count, each.prompt)) << each.name;
    EXPECT_EQ(pairs.outputs, std::vector<int>(each.count, each.output)) << each.name;
  }
  const WorkloadSpec mixed = shipped("mixed");
  EXPECT_EQ(mixed.prompt.length->values, (std::vector<double>{32, 64, 128, 256, 512}));
  EXPECT_EQ(mixed.output.length->values, (std::vector<double>{32, 64, 128, 256}));
}

TEST(SeedWorkloads, ConcurrencyIsTheSeeds) {
  EXPECT_EQ(shipped("batch1").arrival.max_in_flight, 1);
  EXPECT_EQ(shipped("batch8").arrival.max_in_flight, 8);
  EXPECT_EQ(shipped("batch32").arrival.max_in_flight, 32);
  EXPECT_EQ(shipped("mixed").arrival.max_in_flight, 32);
  EXPECT_EQ(shipped("s1_seed").arrival.law, ArrivalLaw::kClosed);
  EXPECT_EQ(shipped("s1_seed").arrival.concurrency, 1);
}

TEST(SeedWorkloads, ABurstArrivesAtZero) {
  for (const char* name : {"batch1", "batch8", "batch32", "mixed"}) {
    for (const PlannedRequest& request : expanded(shipped(name)).requests) {
      if (!request.warmup) EXPECT_EQ(request.intended, std::chrono::nanoseconds(0)) << name;
    }
  }
}

TEST(SeedWorkloads, PromptsAreTokenZeroAndSeedsCount) {
  const auto list = expanded(shipped("batch8"));
  std::uint64_t seed = 2026;
  for (const PlannedRequest& request : list.requests) {
    EXPECT_EQ(std::ranges::count(request.prompt, TokenId(0)), std::ssize(request.prompt));
    if (!request.warmup) EXPECT_EQ(request.seed, seed++);
  }
  EXPECT_EQ(seed, 2034U);
}

TEST(SeedWorkloads, IdsAreThePlacesInTheList) {
  int index = 0;
  for (const PlannedRequest& request : expanded(shipped("mixed")).requests) EXPECT_EQ(request.index, index++);
  EXPECT_EQ(index, 34);  // two to warm up and thirty-two
}

TEST(SeedWorkloads, AnotherSeedDrawsOthersAndTheSameTheSame) {
  WorkloadSpec spec = shipped("mixed");
  const std::string first = expanded(spec).sha256();
  EXPECT_EQ(expanded(spec).sha256(), first);
  spec.seed = 2027;
  EXPECT_NE(measured(expanded(spec)).text, measured(expanded(shipped("mixed"))).text);
}

// random.Random(2026).randint(8, 64) for a prompt and randint(1, 4) for an answer, ten times, by CPython 3.11.
TEST(SeedWorkloads, UniformLengthsAreDrawnInTurn) {
  WorkloadSpec spec =
      good(spec_text("compat = \"python\"\nrequests = { count = 10 }\narrival = { law = \"burst\" }\n"
                     "output = { length = { dist = \"uniform\", min = 1, max = 4 } }",
                     "length = { dist = \"uniform\", min = 8, max = 64 }"));
  spec.seed = 2026;
  EXPECT_EQ(measured(expanded(spec)).text, "15:3,40:1,64:2,46:4,58:4,56:4,23:1,47:1,15:3,60:1");
}

}  // namespace
}  // namespace mie::bench
