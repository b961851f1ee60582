// What a specification may not say, with the line that says it.
#include "tests/bench/workload/specs.h"

namespace mie::bench {
namespace {

constexpr const char* kLoad =
    "requests = { count = 4 }\narrival = { law = \"burst\" }\noutput = { length = { dist = \"fixed\", value = 2 } }";

std::string fault(const std::string& text) {
  const auto spec = spec_of(text);
  return spec.has_error() ? spec.error().message : "none";
}

TEST(SpecErrors, TheShortestSpecificationIsGood) { EXPECT_EQ(fault(spec_text(kLoad)), "none"); }

TEST(SpecErrors, KeysThatMustBeGiven) {
  EXPECT_EQ(fault("name = \"x\"\n"), "t.toml:1: schema must be given");
  EXPECT_EQ(fault("schema = \"mie.workload/2\"\n"), "t.toml:1: name must be given");
  EXPECT_EQ(fault(spec_text("requests = { count = 4 }\narrival = { rate = 1 }")), "t.toml:5: arrival.law must be given");
  EXPECT_EQ(fault(spec_text(kLoad, "form = \"tokens\"")), "t.toml:7: prompt.length must be given");
}

struct Case {
  const char* more;  // after `kLoad`, from line 7
  const char* message;
};

TEST(SpecErrors, UnknownKeysAndWrongTypes) {
  for (const Case& each : {
           Case{"sed = 1", "t.toml:7: sed is not a key here"},
           Case{"clients = { timeouts_ms = 1 }", "t.toml:7: clients.timeouts_ms is not a key here"},
           Case{"clients = { keepalive = 1 }", "t.toml:7: clients.keepalive must be true or false"},
           Case{"clients = { timeout_ms = 0 }", "t.toml:7: clients.timeout_ms must be an integer between 1 and 2147483647"},
           Case{"clients = { timeout_ms = 1.5 }", "t.toml:7: clients.timeout_ms must be an integer between 1 and 2147483647"},
           Case{"goodput_target = 2", "t.toml:7: goodput_target must be a number between 0 and 1"},
           Case{"goodput_target = nan", "t.toml:7: goodput_target must be a number between 0 and 1"},
           Case{"sampling = { top_p = \"1\" }", "t.toml:7: sampling.top_p must be a number between 0 and 1"},
           Case{"scenario = \"S5\"", "t.toml:7: scenario must be one of S1, S2, S3, S4, free"},
           Case{"description = 1", "t.toml:7: description must be a string"},
           Case{"warmup = 3", "t.toml:7: warmup must be a table"},
           Case{"slo = [{ metric = \"ttft\", op = \"<=\", value_ms = 1 },\n{ metric = \"tttf\", op = \"<=\", value_ms = 1 }]",
                "t.toml:8: slo[1].metric must be one of lateness, ttft, ttft_intended, ttst, e2el, e2el_intended, tpot, "
                "normalized, itl, event_gap, stall"},
           Case{"report = { percentiles = [50, 101] }", "t.toml:7: report.percentiles[1] must be a number between 0 and 100"},
           Case{"report = { plots = \"all\" }", "t.toml:7: report.plots must be a list"},
           Case{"target = { headers = { a = 1 } }", "t.toml:7: target.headers.a must be a string"},
           Case{"arms = [{ name = \"a\", server = { x = [1] } }]",
                "t.toml:7: arms[0].server x must be a string, a number or a boolean"},
           Case{"arms = [{ name = \"a\" }, { name = \"a\" }]", "t.toml:7: arms[1].name is another arm's"},
       }) {
    EXPECT_EQ(fault(spec_text(std::string(kLoad) + "\n" + each.more)), each.message) << each.more;
  }
}

TEST(SpecErrors, SettingsThatContradictEachOther) {
  for (const Case& each : {
           Case{"warmup = { requests = 1, seconds = 1 }", "t.toml:7: warmup.seconds and requests exclude each other"},
           Case{"steady = { skip_s = 1 }", "t.toml:7: steady.mode must be fixed with skip_s or tail_s"},
           Case{"target = { endpoint = \"chat\" }", "t.toml:7: target.endpoint chat takes text: prompt.form must be text"},
           Case{"clients = { cancel = { share = 0.5 } }",
                "t.toml:7: clients.cancel.share needs exactly one of after_ms and after_tokens"},
           Case{"clients = { cancel = { share = 0.5, after_ms = 1, after_tokens = 1 } }",
                "t.toml:7: clients.cancel.share needs exactly one of after_ms and after_tokens"},
           Case{"prefix = { kind = \"groups\", n = 2, prompts_per_group = 3, prefix_len = 8 }",
                "t.toml:7: prefix.prompts_per_group must divide requests.count"},
           Case{"prefix = { kind = \"shared\", n = 2, len = 1 }", "t.toml:7: prefix.n is not a key here"},
           Case{"repetitions = { n = 2, server = \"kept\" }",
                "t.toml:7: repetitions.server kept needs warmup.flush before or between"},
           Case{"prefix = { kind = \"tree\" }", "t.toml:7: prefix.hash_ids must be given unless prompt.source is trace"},
           Case{"compat = \"python\"\nprefix = { kind = \"zipf_groups\", n = 3, prefix_len = 8 }",
                "t.toml:8: prefix.s must be given"},
       }) {
    EXPECT_EQ(fault(spec_text(std::string(kLoad) + "\n" + each.more)), each.message) << each.more;
  }
}

TEST(SpecErrors, ExactlyOneStopRule) {
  const std::string rest = "\narrival = { law = \"poisson\", rate = 1 }\noutput = { length = { dist = \"fixed\", value = 2 } }";
  const std::string precision = "precision = { metric = \"ttft\", quantile = 0.5, rel_ci = 0.1, max_s = 10 }";
  EXPECT_EQ(fault(spec_text("requests = { duration_s = 4 }" + rest)), "none");
  EXPECT_EQ(fault(spec_text("requests = { " + precision + " }" + rest)), "none");
  const std::string one = "t.toml:4: requests needs exactly one of count, duration_s and precision";
  EXPECT_EQ(fault(spec_text("requests = {}" + rest)), one);
  EXPECT_EQ(fault(spec_text("requests = { count = 1, duration_s = 4 }" + rest)), one);
  EXPECT_EQ(fault(spec_text("requests = { duration_s = 4, " + precision + " }" + rest)), one);
  EXPECT_EQ(
      fault(spec_text("requests = { " + precision + " }\nrepetitions = { n = 2 }" + rest)),
      "t.toml:4: requests.precision is of one load, whose rounds are its repetitions: neither arms, repetitions nor sessions");
  const std::string burst =
      "requests = { duration_s = 4 }\narrival = { law = \"burst\" }\noutput = { length = { dist = \"fixed\", value = 2 } }";
  EXPECT_EQ(fault(spec_text(burst)), "t.toml:5: arrival.law burst needs requests.count: all arrive at once");
}

TEST(SpecErrors, LengthsThatAreNoLaw) {
  for (const auto& [length, message] : std::vector<std::pair<std::string, std::string>>{
           {"dist = \"cauchy\"",
            "t.toml:8: prompt.length.dist must be one of fixed, uniform, empirical, normal, lognormal, gamma, zipf, histogram, "
            "mixture, trace"},
           {"dist = \"fixed\"", "t.toml:8: prompt.length.value must be given"},
           {"dist = \"fixed\", value = 1, sigma = 2", "t.toml:8: prompt.length.sigma is not a key here"},
           {"dist = \"uniform\", min = 4, max = 3", "t.toml:8: prompt.length.min is above max"},
           {"dist = \"empirical\", values = []", "t.toml:8: prompt.length.values must not be empty"},
           {"dist = \"empirical\", values = [1, 2], weights = [1]",
            "t.toml:8: prompt.length.weights must be as many as the values"},
           {"dist = \"lognormal\", median = 5", "t.toml:8: prompt.length.dist needs either median and sigma or mean and cv"},
           {"dist = \"lognormal\", median = 5, sigma = 1, cv = 1",
            "t.toml:8: prompt.length.dist needs either median and sigma or mean and cv"},
           {"dist = \"histogram\", edges = [1, 2], counts = [1, 1]",
            "t.toml:8: prompt.length.edges must be one more than the counts"},
           {"dist = \"histogram\", edges = [2, 1], counts = [1]", "t.toml:8: prompt.length.edges must grow"},
           {"dist = \"mixture\", parts = [{ weight = 1, dist = \"trace\", column = \"prompt_tokens\" }]",
            "t.toml:8: prompt.length.parts[0].dist cannot be a part: a trace is not drawn"},
           {"dist = \"trace\", column = \"prompt_tokens\"", "t.toml:8: prompt.length trace needs prompt.source trace"},
           {"dist = \"normal\", mean = 100, sd = 30, min = 400",
            "t.toml:8: prompt.length keeps 0 % of its law in [400, 1e+09], less than 1 %"},
           {"dist = \"uniform\", min = 5.2, max = 5.8",
            "t.toml:8: prompt.length keeps 0 % of its law in [6, 5], less than 1 %"},
           {"dist = \"fixed\", value = 0", "t.toml:8: prompt.length keeps 0 % of its law in [1, 1e+09], less than 1 %"},
       }) {
    EXPECT_EQ(fault(spec_text(kLoad, "length = { " + length + " }")), message) << length;
  }
}

TEST(SpecErrors, PythonKnowsThreeLaws) {
  const std::string python = std::string(kLoad) + "\ncompat = \"python\"";
  EXPECT_EQ(fault(spec_text(python, "length = { dist = \"uniform\", min = 1, max = 9 }")), "none");
  EXPECT_EQ(fault(spec_text(python, "length = { dist = \"gamma\", mean = 9, cv = 1 }")),
            "t.toml:9: prompt.length must be fixed, uniform or empirical with compat python");
  EXPECT_EQ(fault(spec_text(python, "length = { dist = \"empirical\", values = [1, 2], weights = [1, 2] }")),
            "t.toml:9: prompt.length has no weights with compat python");
}

TEST(SpecErrors, PythonDrawsWholeLengths) {
  const std::string python = std::string(kLoad) + "\ncompat = \"python\"";
  for (const char* length : {"dist = \"empirical\", values = [1.5, 3]", "dist = \"empirical\", values = [0, 3]",
                             "dist = \"uniform\", min = 0, max = 9", "dist = \"fixed\", value = 2.5"}) {
    EXPECT_EQ(fault(spec_text(python, "length = { " + std::string(length) + " }")),
              "t.toml:9: prompt.length must be of whole numbers from 1 with compat python")
        << length;
  }
}

// A shipped file with bytes left out or changed is a specification or a complaint about that file, whatever the bytes were.
TEST(SpecErrors, DamagedFilesAreRefusedByName) {
  for (const char* name : {"template.toml", "code.toml", "s1.toml"}) {
    const auto text = read_text_file((kShipped / name).string());
    ASSERT_TRUE(text.has_value());
    int n_refused = 0;
    for (std::size_t i = 0; i < text->size(); ++i) {
      std::string damaged = *text;
      if (i % 2 == 0) damaged.erase(i, 1 + i % 7);
      if (i % 2 == 1) damaged[i] = static_cast<char>('"' + i % 60);
      const auto spec = spec_of(damaged);
      if (spec.has_value()) continue;
      ++n_refused;
      ASSERT_EQ(spec.error().message.substr(0, 7), "t.toml:") << spec.error().message;
    }
    EXPECT_GT(n_refused, static_cast<int>(text->size() / 4)) << name;
  }
}

TEST(SpecErrors, ArrivalsThatAreNoLaw) {
  const auto arrival = [](const std::string& law) {
    return fault(spec_text("requests = { count = 4 }\narrival = { " + law +
                           " }\noutput = { length = { dist = \"fixed\", value = 2 } }"));
  };
  EXPECT_EQ(arrival("law = \"poisson\""), "t.toml:5: arrival.rate must be given");
  EXPECT_EQ(arrival("law = \"poisson\", rate = 0"), "t.toml:5: arrival.rate must be a number between 1e-09 and 1e+15");
  EXPECT_EQ(arrival("law = \"sine\", mean = 1, amp = 2, period = 3"),
            "t.toml:5: arrival.amp must not be above mean: a rate is not negative");
  EXPECT_EQ(arrival("law = \"steps\", steps = [{ rate = 0, s = 1 }]"),
            "t.toml:5: arrival.steps must have a step with a rate above 0");
  EXPECT_EQ(arrival("law = \"burst\", rate = 1"), "t.toml:5: arrival.rate is not a key here");
}

TEST(SpecErrors, JsonHasLinesToo) {
  EXPECT_EQ(fault("{\"schema\": \"mie.workload/1\",\n\"name\": \"t\",\n\"seed\": -1}"), "t.toml:1: requests must be given");
  EXPECT_EQ(
      fault(
          "{\"schema\": \"mie.workload/1\", \"name\": \"t\", \"seed\": 1, \"requests\": {},\n\"prompt\": {},\n\"arrival\": 1}"),
      "t.toml:2: prompt.length must be given");
}

}  // namespace
}  // namespace mie::bench
