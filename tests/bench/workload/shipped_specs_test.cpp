// Every file in conf/workloads is a workload that says what it is for, expands, reads back alike and fits the default model.
#include "bench/workload/spec/sweep.h"
#include "tests/bench/workload/specs.h"

#include <algorithm>
#include <set>

namespace mie::bench {
namespace {

constexpr std::ptrdiff_t kFits = 2048;  // tokens of prompt and answer
constexpr std::ptrdiff_t kContext = 8192;

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(kShipped)) {
    if (entry.path().extension() == ".toml") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

TEST(ShippedSpecs, AreThoseThatAreAskedFor) {
  std::set<std::string> names;
  for (const auto& file : files()) names.insert(file.stem().string());
  const std::set<std::string> seeds = {"batch1", "batch8", "batch32", "mixed", "s1_seed", "template"};
  for (const char* name : {"chat", "rag", "agent", "code", "long-context", "prefix-heavy", "burst", "overload", "soak",
                           "cancel-storm", "slow-reader", "s1", "s2", "s3", "s4", "smoke", "six_requests"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_TRUE(std::ranges::includes(names, seeds));
  EXPECT_GE(names.size(), seeds.size() + 20);
}

TEST(ShippedSpecs, SayWhatTheyAreFor) {
  for (const auto& path : files()) {
    const auto file = load_spec_file(path.string());
    ASSERT_TRUE(file.has_value()) << file.error().message;
    const WorkloadSpec& spec = file->cells.front();
    EXPECT_EQ(spec.name.substr(0, spec.name.find('[')), path.stem().string());
    if (spec.name != "template") EXPECT_GE(spec.description.size(), 40U) << path;
  }
}

// Of each: the canonical JSON reads back as itself, all prompts have ids, and what a client may ask of a model fits.
TEST(ShippedSpecs, ExpandRoundTripAndFit) {
  for (const auto& path : files()) {
    const auto file = load_spec_file(path.string());
    ASSERT_TRUE(file.has_value());
    const bool is_long = path.stem().string().find("long-context") != std::string::npos;
    for (const WorkloadSpec& spec : file->cells) {
      EXPECT_EQ(spec_sha256(good(canonical_json(spec))), spec_sha256(spec)) << spec.name;
      const ExpandedWorkload list = expanded(spec, file->folder);
      ASSERT_FALSE(list.requests.empty()) << spec.name;
      for (const PlannedRequest& request : list.requests) {
        ASSERT_GE(request.prompt.size(), 1U) << spec.name;
        ASSERT_GE(request.output_tokens, 1) << spec.name;
        ASSERT_LE(std::ssize(request.prompt) + request.output_tokens, is_long ? kContext : kFits)
            << spec.name << " " << request.index;
      }
    }
  }
}

TEST(ShippedSpecs, ASweptFileReadsBackWithItsTable) {
  const auto document = read_document((kShipped / "s1.toml").string());
  const auto spec = read_spec(*document);
  ASSERT_TRUE(spec.has_value());
  const auto again = parse_document(canonical_json(*spec), "t");
  const auto cells = expand_sweep(*again), before = expand_sweep(*document);
  ASSERT_TRUE(cells.has_value() && before.has_value());
  ASSERT_EQ(cells->size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(spec_sha256(*read_spec((*cells)[i])), spec_sha256(*read_spec((*before)[i])));
}

TEST(ShippedSpecs, TheTemplateSaysEveryDefault) {
  WorkloadSpec plain =
      good(spec_text("compat = \"python\"\nrequests = { count = 1 }\narrival = { law = \"burst\" }\n"
                     "output = { length = { dist = \"fixed\", value = 64 } }",
                     "length = { dist = \"fixed\", value = 128 }\ncontent = { kind = \"repeat_id\" }"));
  plain.name = "template";
  plain.seed = 2026;
  EXPECT_EQ(canonical_json(shipped("template")), canonical_json(plain));
}

TEST(ShippedSpecs, SixRequestsAreThoseWhoseStepsAreKnown) {
  std::vector<int> outputs;
  int decodes = 0;
  for (const PlannedRequest& request : expanded(shipped("six_requests")).requests) {
    EXPECT_EQ(request.prompt.size(), 32U);
    if (request.warmup) continue;
    outputs.push_back(request.output_tokens);
    decodes += request.output_tokens - 1;
  }
  EXPECT_EQ(outputs, (std::vector{8, 32, 64, 16, 48, 8}));
  EXPECT_EQ(decodes, 170);
}

}  // namespace
}  // namespace mie::bench
