// A whole run of tiny sizes: every case and gate appears, and the JSON text has every field. No figure is looked at.
#include "bench/micro/micro.h"

#include "bench/micro/gates.h"
#include "bench/micro/random_weights.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>

#include <set>
#include <string>

namespace mie::bench {
namespace {

MicroOptions tiny() {
  MicroOptions options;
  options.tiny = true;
  options.json = true;
  options.n_threads = 2;
  options.isa = native::best_isa();
  return options;
}

struct Parsed {
  explicit Parsed(const MicroOptions& options) : text(run_micro(options).value().text), root(parser.parse(text)) {}
  std::string text;
  simdjson::dom::parser parser;
  simdjson::dom::element root;
};

void expect_probe(simdjson::dom::element probe) {
  for (const char* field : {"read_1t_gbps", "read_gbps", "fork_join_ns", "round_trip_ns", "foreign_cpu", "buffer_bytes"}) {
    EXPECT_TRUE(probe[field].is_number()) << field;
  }
  for (const char* field : {"fp32_gflops", "bf16_gflops", "int8_gops"}) {
    EXPECT_TRUE(probe[field].is_number() || probe[field].is_null()) << field;
  }
}

TEST(Micro, EveryCaseHasEveryField) {
  const Parsed run(tiny());
  EXPECT_EQ(std::string_view(run.root["schema"]), "mie.micro/1");
  EXPECT_EQ(std::string_view(run.root["isa"]), native::isa_name(native::best_isa()));
  EXPECT_EQ(std::int64_t(run.root["threads"]), 2);
  for (const char* field : {"version", "commit", "cpu"}) EXPECT_TRUE(run.root[field].is_string()) << field;
  expect_probe(run.root["probe_before"]);
  expect_probe(run.root["probe_after"]);
  std::set<std::string> kinds;
  for (const auto one : run.root["cases"].get_array()) {
    const std::string name(one["name"].get_string().value());
    kinds.insert(name.substr(0, name.find('/')));
    for (const char* field :
         {"seconds", "min_seconds", "max_seconds", "bytes", "ops", "gbps", "gops", "repetitions", "foreign_cpu"}) {
      EXPECT_TRUE(one[field].is_number()) << name << " " << field;
    }
    EXPECT_TRUE(one["limit"].is_string()) << name;
    EXPECT_TRUE(one["percent"].is_number() || one["percent"].is_null()) << name;
    EXPECT_TRUE(one["disturbance"].is_string() || one["disturbance"].is_null()) << name;
    expect_probe(one["probe_before"]);
    expect_probe(one["probe_after"]);
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"attention", "engine", "linear", "row", "sampler", "scheduler"}));
}

TEST(Micro, GatesAreAllJudgedOrSayWhyNot) {
  MicroOptions options = tiny();
  options.gates = true;
  const Parsed run(options);
  std::size_t n = 0;
  for (const auto gate : run.root["gates"].get_array()) {
    ++n;
    EXPECT_TRUE(gate["gate"].is_int64());
    EXPECT_TRUE(gate["what"].is_string());
    EXPECT_TRUE(gate["need"].is_number());
    EXPECT_TRUE(gate["unit"].is_string());
    EXPECT_TRUE(gate["at_least"].is_bool());
    EXPECT_TRUE(gate["figure"].is_number() || gate["figure"].is_null());
    const std::string_view verdict = gate["verdict"];
    if (verdict == "not run" || verdict == "disturbed" || verdict == "by test") EXPECT_TRUE(gate["note"].is_string());
    if (std::int64_t(gate["gate"]) == 13) EXPECT_EQ(verdict, "pass");
  }
  EXPECT_EQ(n, all_gates().size());
}

// What the gates need is what runs: each case that a gate names exists under exactly that name.
TEST(Micro, GatesNameCasesThatExist) {
  MicroOptions options = tiny();
  options.gates = true;
  const Parsed run(options);
  std::set<std::string> cases;
  for (const auto one : run.root["cases"].get_array()) cases.insert(std::string(one["name"].get_string().value()));
  for (const Gate& gate : all_gates()) {
    if (gate.kind == GateKind::kTest || gate.case_name.empty() || gate.kind == GateKind::kByteRatio) continue;
    EXPECT_TRUE(cases.contains(gate.case_name)) << gate.case_name;
    cases.erase(gate.case_name);
  }
  EXPECT_TRUE(cases.empty()) << *cases.begin() << " belongs to no gate";
}

TEST(Micro, NamesChooseCases) {
  MicroOptions options = tiny();
  options.names = {"sampler/greedy", "rms-norm/k576"};
  const Parsed run(options);
  std::set<std::string> cases;
  for (const auto one : run.root["cases"].get_array()) cases.insert(std::string(one["name"].get_string().value()));
  EXPECT_EQ(cases, (std::set<std::string>{"sampler/greedy", "row/rms-norm/k576"}));
}

TEST(Micro, ProbeAloneRunsNoCase) {
  MicroOptions options = tiny();
  options.names = {"probe"};
  const Parsed run(options);
  EXPECT_EQ(run.root["cases"].get_array().size(), 0U);
}

TEST(Micro, TextShowsUnitProbeAndCase) {
  MicroOptions options = tiny();
  options.json = false;
  options.isa = native::Isa::kScalar;
  options.names = {"linear/q8_0/w4a8/7b-gate/m1"};
  const std::string text = run_micro(options).value().text;
  EXPECT_NE(text.find("unit scalar"), std::string::npos);
  EXPECT_NE(text.find("before  read "), std::string::npos);
  EXPECT_NE(text.find("linear/q8_0/w4a8/7b-gate/m1 "), std::string::npos);
}

TEST(Micro, AMissingModelIsOneLine) {
  MicroOptions options = tiny();
  options.names = {"step/decode-1"};
  options.model = "no such file.gguf";
  const auto run = run_micro(options);
  ASSERT_TRUE(run.has_error());
  EXPECT_NE(run.error().message.find("no such file.gguf"), std::string::npos);
}

TEST(RandomWeights, AreOrdinaryNumbers) {
  for (const QuantFormat format :
       {QuantFormat::kF32, QuantFormat::kF16, QuantFormat::kBF16, QuantFormat::kQ4_0, QuantFormat::kQ4_1, QuantFormat::kQ8_0}) {
    const auto row = random_row(format, 256, 5);
    std::vector<float> values(256);
    dequantise(format, row, values);
    for (const float value : values) {
      EXPECT_TRUE(std::isfinite(value)) << format_info(format).name;
      EXPECT_LE(std::abs(value), 128.0F) << format_info(format).name;
    }
  }
}

}  // namespace
}  // namespace mie::bench
