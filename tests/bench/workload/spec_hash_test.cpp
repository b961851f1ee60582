// Equal settings have equal hashes, whatever the file looks like; other settings have others.
#include "bench/workload/spec/sweep.h"
#include "core/base/file_digest.h"
#include "tests/bench/workload/specs.h"

#include <algorithm>
#include <set>

namespace mie::bench {
namespace {

constexpr const char* kLoad =
    "requests = { count = 4 }\narrival = { law = \"burst\" }\noutput = { length = { dist = \"fixed\", value = 2 } }";

std::string hash_with(const std::string& more) { return spec_sha256(good(spec_text(std::string(kLoad) + "\n" + more))); }

TEST(SpecHash, IsOfTheCanonicalJson) {
  const WorkloadSpec spec = good(spec_text(kLoad));
  const std::string text = canonical_json(spec);
  EXPECT_EQ(spec_sha256(spec), sha256_of(std::as_bytes(std::span(text))));
  // Sorted keys, defaults filled in, no white space: the first members by hand.
  EXPECT_EQ(text.substr(0, text.find("\"checks\"")), R"({"arms":[],"arrival":{"law":"burst","overflow":"queue"},)");
  EXPECT_NE(
      text.find(
          R"("clients":{"connections":0,"keepalive":true,"timeout_ms":600000},"compat":"none","description":"","goodput_target":0.99,)"),
      std::string::npos);
  EXPECT_NE(
      text.find(
          R"("prompt":{"content":{"kind":"random_ids","unique_salt":false,"vocab_max":29999,"vocab_min":1000},"form":"tokens",)"
          R"("length":{"dist":"fixed","value":8},"source":"synthetic"},)"),
      std::string::npos);
}

TEST(SpecHash, TheCanonicalJsonReadsBackAlike) {
  const WorkloadSpec spec = good(spec_text(kLoad));
  const WorkloadSpec again = good(canonical_json(spec));
  EXPECT_EQ(canonical_json(again), canonical_json(spec));
}

TEST(SpecHash, DoesNotSeeOrderSpaceFormatOrDefaults) {
  const std::string plain = hash_with("");
  EXPECT_EQ(hash_with("# a comment\n\n"), plain);
  EXPECT_EQ(hash_with("goodput_target = 0.990\nwarmup = { flush = \"never\", requests = 0 }"), plain);
  EXPECT_EQ(hash_with("[report]\npercentiles = [50, 90.0, 95, 99, 9.99e1]"), plain);
  EXPECT_EQ(spec_sha256(good(R"({"prompt":{"length":{"value":8.0,"dist":"fixed"}},"arrival":{"law":"burst"},"seed":7,"name":"t",
     "output":{"length":{"dist":"fixed","value":2}},"requests":{"count":4},"schema":"mie.workload/1"})")),
            plain);
}

TEST(SpecHash, SeesEverySetting) {
  std::set<std::string> hashes{hash_with("")};
  const std::vector<std::string> others = {"description = \"x\"",
                                           "scenario = \"S1\"",
                                           "goodput_target = 0.98",
                                           "stream = { enabled = false }",
                                           "warmup = { requests = 1 }",
                                           "warmup = { flush = \"between\" }",
                                           "target = { model = \"m\" }",
                                           "target = { headers = { a = \"b\" } }",
                                           "repetitions = { n = 2 }",
                                           "sampling = { temperature = 0.5 }",
                                           "clients = { deadline_ms = 5 }",
                                           "checks = { finish_reason = false }",
                                           "slo = [{ metric = \"ttft\", op = \"<\", value_ms = 1 }]",
                                           "arms = [{ name = \"a\", server = { kv = \"none\" } }]",
                                           "sweep = { seed = [1, 2] }",
                                           "prefix = { kind = \"shared\", len = 4 }",
                                           "report = { keep_text = 0.5 }",
                                           "sessions = { turns = { dist = \"fixed\", value = 2 } }"};
  for (const std::string& each : others) EXPECT_TRUE(hashes.insert(hash_with(each)).second) << each;
}

TEST(SpecSweep, IsTheProductOfItsLists) {
  const auto document =
      parse_document(spec_text("requests = { count = 4 }\narrival = { law = \"closed\", concurrency = 1 }\noutput = { length = "
                               "{ dist = \"fixed\", value = 2 } }\n"
                               "sweep = { arrival.concurrency = [1, 8], \"prompt.length.value\" = [16, 32, 64] }"),
                     "t.toml");
  ASSERT_TRUE(document.has_value()) << document.error().message;
  const auto cells = expand_sweep(*document);
  ASSERT_TRUE(cells.has_value());
  std::vector<std::string> names;
  std::vector<std::pair<int, double>> values;
  for (const Document& cell : *cells) {
    const auto spec = read_spec(cell);
    ASSERT_TRUE(spec.has_value()) << spec.error().message;
    names.push_back(spec->name);
    values.emplace_back(spec->arrival.concurrency, spec->prompt.length->value);
    EXPECT_TRUE(spec->sweep.empty());
  }
  EXPECT_EQ(values, (std::vector<std::pair<int, double>>{{1, 16}, {1, 32}, {1, 64}, {8, 16}, {8, 32}, {8, 64}}));
  EXPECT_EQ(names.front(), "t[arrival.concurrency=1,prompt.length.value=16]");
}

TEST(SpecSweep, SetsWhatTheSpecificationLeavesOut) {
  const auto document =
      parse_document(spec_text(std::string(kLoad) + "\nsweep = { prefix.kind = [\"shared\"], prefix.len = [4, 8] }"), "t.toml");
  const auto cells = expand_sweep(*document);
  ASSERT_TRUE(cells.has_value());
  ASSERT_EQ(cells->size(), 2U);
  EXPECT_EQ(read_spec((*cells)[1])->prefix.len, 8);
}

TEST(SpecSweep, FaultsHaveTheLineOfTheSweep) {
  const auto fault = [](const std::string& sweep) {
    const auto cells = expand_sweep(*parse_document(spec_text(std::string(kLoad) + "\n" + sweep), "t.toml"));
    if (cells.has_error()) return cells.error().message;
    const auto spec = read_spec(cells->front());
    return spec.has_error() ? spec.error().message : "none";
  };
  EXPECT_EQ(fault("[sweep]\nseed = 1"), "t.toml:8: sweep.seed must be a list that is not empty");
  EXPECT_EQ(fault("[sweep]\nseed = []"), "t.toml:8: sweep.seed must be a list that is not empty");
  EXPECT_EQ(fault("[sweep]\nseed.x = [1]"), "t.toml:8: sweep.seed.x goes through something that is no table");
  EXPECT_EQ(fault("[sweep]\nseed = [\"a\"]"), "t.toml:8: seed must be an integer between 0 and 9223372036854775807");
}

}  // namespace
}  // namespace mie::bench
