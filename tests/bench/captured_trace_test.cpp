// A recording of our server as a trace.
#include "bench/workload/trace/captured_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void asked(Record& record, int id, std::int64_t at_ns, std::vector<int> prompt) {
  auto request = std::make_shared<Request>();
  request->arrival = Clock::time_point(Clock::duration(at_ns));
  for (const int token : prompt) request->prompt.emplace_back(token);
  RecordEvent event{.kind = RecordEvent::Kind::kTaken, .id = RequestId(static_cast<std::uint64_t>(id))};
  event.request = std::move(request);
  record.events.push_back(std::move(event));
}

void ended(Record& record, int id, int n_tokens) {
  RecordEvent event{.kind = RecordEvent::Kind::kEnded, .id = RequestId(static_cast<std::uint64_t>(id))};
  event.tokens.assign(static_cast<std::size_t>(n_tokens), TokenId(1));
  record.events.push_back(std::move(event));
}

TEST(CapturedTrace, HasArrivalsLengthsAndSharedBeginnings) {
  Record record;
  asked(record, 2, 7000, {1, 2, 3, 4, 5});  // the engine heard of it first, but it came later
  asked(record, 1, 5000, {1, 2, 9, 9});
  asked(record, 3, 9000, {9, 9, 3, 4});  // the blocks of others, behind another beginning
  asked(record, 4, 9500, {1});
  for (const int id : {1, 2, 3}) ended(record, id, 10 + id);
  ended(record, 4, 0);  // without an answer it is none
  asked(record, 5, 9900, {1});
  const Trace trace = captured_trace(record, 2);
  ASSERT_EQ(trace.rows.size(), 3U);
  EXPECT_EQ(trace.rows[0].t_ns, 0);
  EXPECT_EQ(trace.rows[1].t_ns, 2000);
  EXPECT_EQ(trace.rows[2].t_ns, 4000);
  EXPECT_EQ(trace.rows[0].output_tokens, 11);
  EXPECT_EQ(trace.rows[1].output_tokens, 12);
  EXPECT_EQ(trace.rows[1].prompt_tokens, 5);
  EXPECT_THAT(trace.rows[0].prefix_hash, ElementsAre(0, 1));
  EXPECT_THAT(trace.rows[1].prefix_hash, ElementsAre(0, 2)) << "the fifth token fills no block";
  EXPECT_THAT(trace.rows[2].prefix_hash, ElementsAre(3, 4)) << "equal numbers are equal tokens from the beginning on";
  EXPECT_THAT(captured_trace({}, 2).rows, IsEmpty());
}

}  // namespace
}  // namespace mie::bench
