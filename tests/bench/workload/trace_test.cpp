// Traces: ours, those of others, and workloads made of them. The lines are written here in the published formats.
#include "bench/workload/trace/public_traces.h"
#include "tests/bench/workload/specs.h"

namespace mie::bench {
namespace {

Trace converted(const std::string& text, TraceFormat format) {
  auto trace = read_public_trace(written("trace", text), format);
  EXPECT_TRUE(trace.has_value()) << (trace.has_error() ? trace.error().message : "");
  return trace.has_value() ? std::move(*trace) : Trace{};
}

std::string fault(const std::string& text, TraceFormat format) {
  const auto trace = read_public_trace(written("trace", text), format);
  return trace.has_error() ? trace.error().message : "none";
}

TEST(Traces, OursReadBackAsTheyWereWritten) {
  const std::string lines =
      "{\"output_tokens\":2,\"prefix_hash\":[7,8],\"prompt_tokens\":1,\"t_ns\":0}\n"
      "{\"output_tokens\":4,\"prompt_tokens\":3,\"session\":5,\"t_ns\":1500000000}\n";
  const Trace trace = converted(lines, TraceFormat::kMie);
  EXPECT_EQ(trace_lines(trace), lines);
  EXPECT_EQ(trace.stamps_s(), (std::vector{0.0, 1.5}));
}

TEST(Traces, Mooncake) {
  const Trace trace = converted(
      "{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52, \"hash_ids\": [46, 47, 2353]}\n"
      "{\"timestamp\": 30535, \"input_length\": 6472, \"output_length\": 26, \"hash_ids\": [46, 2366]}\n",
      TraceFormat::kMooncake);
  ASSERT_EQ(trace.rows.size(), 2U);
  EXPECT_EQ(trace.rows[0].t_ns, 0);
  EXPECT_EQ(trace.rows[1].t_ns, 3'053'000'000);
  EXPECT_EQ(trace.rows[1].prompt_tokens, 6472);
  EXPECT_EQ(trace.rows[1].output_tokens, 26);
  EXPECT_EQ(trace.rows[0].prefix_hash, (std::vector<std::int64_t>{46, 47, 2353}));
}

TEST(Traces, BurstGptLeavesOutTheFailed) {
  const Trace trace = converted(
      "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\r\n"
      "5,a,1.2,ChatGPT,472,18,490,Conversation log\r\n45,b,0,GPT-4,1087,0,1087,Conversation log\r\n118.5,a,3,\"GPT-4, "
      "new\",417,276,693,API log\r\n",
      TraceFormat::kBurstGpt);
  ASSERT_EQ(trace.rows.size(), 2U);
  EXPECT_EQ(trace.rows[1].t_ns, 113'500'000'000);
  EXPECT_EQ(trace.rows[1].prompt_tokens, 417);
  EXPECT_EQ(trace.rows[1].output_tokens, 276);
  EXPECT_EQ(trace.rows[0].session, 0);
  EXPECT_EQ(trace.rows[1].session, 0);
  EXPECT_FALSE(converted("Timestamp,Request tokens,Response tokens\n5,472,18\n", TraceFormat::kBurstGpt).rows[0].session);
}

TEST(Traces, AzureStampsAreDates) {
  const Trace trace = converted(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-12-31 23:59:59.5000000,4808,10\n2024-01-01 00:00:01.0000001,3180,8\n"
      "2023-12-31 23:59:59.25+00:00,110,27\n",
      TraceFormat::kAzure);
  ASSERT_EQ(trace.rows.size(), 3U);
  EXPECT_EQ(trace.rows[0].prompt_tokens, 110);  // the first in time
  EXPECT_EQ(trace.rows[1].t_ns, 250'000'000);
  EXPECT_EQ(trace.rows[2].t_ns, 1'750'000'100);
}

TEST(Traces, FaultsHaveTheirLines) {
  EXPECT_EQ(fault("TIMESTAMP,ContextTokens\n", TraceFormat::kAzure), "trace:1: has no column GeneratedTokens");
  EXPECT_EQ(fault("TIMESTAMP,ContextTokens,GeneratedTokens\n\nyesterday,1,2\n", TraceFormat::kAzure),
            "trace:3: TIMESTAMP must be a date and a time");
  EXPECT_EQ(fault("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-02-30 00:00:00,1,2\n", TraceFormat::kAzure),
            "trace:2: TIMESTAMP must be a date and a time");
  EXPECT_EQ(fault("Timestamp,Request tokens,Response tokens\n1,-5,2\n", TraceFormat::kBurstGpt),
            "trace:2: Request tokens must be a count");
  EXPECT_EQ(fault("Timestamp,Request tokens,Response tokens\n1,5\n", TraceFormat::kBurstGpt),
            "trace:2: Response tokens must be a count");
  EXPECT_EQ(fault("{\"timestamp\": 1, \"input_length\": 2}\n", TraceFormat::kMooncake), "trace:1: output_length must be given");
  EXPECT_EQ(
      fault("{\"t_ns\":5,\"prompt_tokens\":1,\"output_tokens\":1}\n{\"t_ns\":4,\"prompt_tokens\":1,\"output_tokens\":1}\n",
            TraceFormat::kMie),
      "trace:2: t_ns is before that of the line above");
}

constexpr const char* kRows =
    "{\"t_ns\":1000000000,\"prompt_tokens\":20,\"output_tokens\":5,\"prefix_hash\":[1,2]}\n"
    "{\"t_ns\":3000000000,\"prompt_tokens\":24,\"output_tokens\":600,\"prefix_hash\":[1,3]}\n"
    "{\"t_ns\":9000000000,\"prompt_tokens\":16,\"output_tokens\":7,\"prefix_hash\":[4]}\n";

TEST(Traces, GiveArrivalsLengthsAndBlocks) {
  const auto folder = std::filesystem::path(written("rows.jsonl", kRows)).parent_path();
  const auto list = expanded(
      good(spec_text("requests = { count = 3 }\narrival = { law = \"trace\", file = \"rows.jsonl\", scale = 0.5, clip = 2 }\n"
                     "output = { length = { dist = \"trace\", column = \"output_tokens\", max = 100 } }\n"
                     "prefix = { kind = \"tree\", block = 16 }",
                     "source = \"trace\"\nfile = \"rows.jsonl\"")),
      folder);
  ASSERT_EQ(list.requests.size(), 3U);
  EXPECT_EQ(list.requests[0].intended, std::chrono::seconds(0));
  EXPECT_EQ(list.requests[1].intended, std::chrono::seconds(1));
  EXPECT_EQ(list.requests[2].intended, std::chrono::seconds(3));  // the gap of 3 s is clipped
  EXPECT_EQ(list.requests[0].prompt.size(), 20U);
  EXPECT_EQ(list.requests[1].prompt.size(), 24U);
  EXPECT_EQ(list.requests[1].output_tokens, 100);
  const auto& first = list.requests[0].prompt;
  const auto& second = list.requests[1].prompt;
  EXPECT_TRUE(std::equal(first.begin(), first.begin() + 16, second.begin()));
  EXPECT_FALSE(std::equal(first.begin() + 16, first.end(), second.begin() + 16));
  EXPECT_EQ(list.files.size(), 1U);
}

TEST(Traces, LengthsAreTheTracesUnlessOthersAreAskedFor) {
  const auto folder = std::filesystem::path(written("rows.jsonl", kRows)).parent_path();
  const auto list = expanded(
      good(spec_text("requests = { count = 4 }\narrival = { law = \"burst\" }", "source = \"trace\"\nfile = \"rows.jsonl\"")),
      folder);
  std::vector<int> outputs;
  outputs.reserve(list.requests.size());
  for (const PlannedRequest& request : list.requests) outputs.push_back(request.output_tokens);
  EXPECT_EQ(outputs, (std::vector{5, 600, 7, 5}));  // from the start again
}

}  // namespace
}  // namespace mie::bench
