// Recordings and their replays on the model that needs no weights: a mixed run of an engine with its threads, with cancels,
// deadlines, preemptions, drafts and failing steps, comes out the same again, and whatever is changed in it is found.
#include "server/record/replay.h"
#include "core/sched/make_scheduler.h"
#include "models/fake_runner.h"
#include "server/engine_setup.h"
#include "server/record/record_header.h"
#include "server/record/record_lines.h"
#include "server/record/recorder.h"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

namespace mie::test {
namespace {

namespace fs = std::filesystem;
using Kind = RecordEvent::Kind;

// 24 blocks of 8 tokens for sequences of up to 120 tokens: preemptions are sure to come. A step budget of 3 ms at 0.1 ms a
// row: the measured times shape the plans.
Config crowded(const std::string& speculate = "off") {
  Config config;
  config.model = "fake:vocab=300,step_us=100,token_us=100,eos_per_mille=10";
  config.kv_cache_memory_bytes = 24 * 8 * 4;
  config.block_size = "8";
  config.max_num_seqs = 6;
  config.max_num_batched_tokens = 64;
  config.max_prefill_chunk = 40;
  config.step_time = std::chrono::milliseconds(3);
  config.speculate = speculate;
  config.priority_ageing = std::chrono::milliseconds(2);
  return config;
}

LoadedModel load(const Config& config) {
  return load_model(config, SystemClock(), [](std::string_view, double) {}).value();
}

Request random_request(std::mt19937& random, const LoadedModel& model) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint32_t>(n)); };
  Request request;
  const int n_prompt = 1 + below(80), n_words = 1 + below(12);  // few words: n-grams repeat
  for (int i = 0; i < n_prompt; ++i) request.prompt.emplace_back(10 + below(n_words));
  SamplingParams::Raw raw;
  raw.temperature = below(2) == 0 ? 0 : 0.7;
  raw.top_p = 0.9;
  raw.seed = random();
  if (below(4) == 0) raw.logit_bias = {{TokenId(20), 3.5F}, {TokenId(2), -100}};
  request.sampling = SamplingParams::from(raw, model.served.n_vocab).value();
  request.stop_ids = model.served.eos_ids;
  request.max_tokens = 1 + below(40);
  request.min_tokens = below(3) == 0 ? request.max_tokens / 2 : 0;
  if (below(6) == 0) {
    request.n_prompt_logprobs = below(3);
    request.max_tokens *= below(2);  // 0: the prompt alone
    request.min_tokens = 0;
  }
  request.priority = below(5) - 2;
  if (below(4) == 0) request.cache_salt = "salt";
  request.arrival = Clock::time_point::max();  // now
  if (below(8) == 0) request.deadline = SystemClock().now() + std::chrono::milliseconds(5 + below(20));
  return request;
}

// Reads until the end or until it has had enough.
net::awaitable<void> client(Engine* engine, std::shared_ptr<TokenStream> stream, int n_wanted) {
  int n = 0;
  bool ended = false;
  while (!ended && n < n_wanted) {
    const TokenBatch batch = co_await stream->next();
    n += static_cast<int>(batch.tokens.size());
    ended = batch.finish.has_value();
  }
  engine->release(stream->id(), ended ? Outcome::kComplete : Outcome::kClientGone, n);
}

struct Recorded {
  Record record;
  std::string text;
};

Recorded record_a_run(const Config& config, std::uint32_t seed, std::vector<FakeFault> faults = {}) {
  const std::string path = (fs::temp_directory_path() / ("mie-record-" + std::to_string(::getpid()))).string();
  const SystemClock clock;
  MetricsRegistry registry;
  net::io_context io(1);
  LoadedModel model = load(config);
  dynamic_cast<FakeRunner&>(*model.runner).set_faults(std::move(faults));
  std::mt19937 random(seed);
  std::vector<Request> requests;
  auto recorder = Recorder::open(path).value();
  recorder->start(record_header(config, model), clock.now());
  ServingModel serving(std::move(model), config, clock, registry, [](const std::string&) {}, recorder.get());
  auto work = net::make_work_guard(io);
  std::thread thread([&] { io.run(); });
  for (int i = 0; i < 40; ++i) {
    LoadedModel facts;
    facts.served.n_vocab = serving.model().n_vocab;
    facts.served.eos_ids = serving.model().eos_ids;
    std::vector<Request> choices(random() % 4 == 0 ? 3 : 1, random_request(random, facts));
    for (std::size_t j = 0; j < choices.size(); ++j) {
      choices[j].choice = static_cast<int>(j);
      choices[j].n_choices = static_cast<int>(choices.size());
    }
    auto streams = serving.engine().submit(std::move(choices), io.get_executor());
    if (streams.has_error()) continue;  // it would not fit the pool
    for (auto& stream : *streams) {
      const int n_wanted = random() % 4 == 0 ? static_cast<int>(random() % 10) : 1000;
      net::co_spawn(io, client(&serving.engine(), std::move(stream), n_wanted), [](std::exception_ptr error) {
        if (error) std::rethrow_exception(error);
      });
    }
    if (random() % 8 == 0) net::co_spawn(io, serving.engine().reset_prefix_cache(), net::use_future).get();
    if (random() % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(random() % 4));
  }
  work.reset();
  thread.join();  // every client has had its end
  serving.engine().stop();
  recorder->stop();
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  fs::remove(path);
  std::istringstream lines(text.str());
  return {read_record(lines).value(), text.str()};
}

ReplayOutcome virtually(const Record& record, const Config& config, std::vector<FakeFault> faults = {}) {
  LoadedModel model = load(config);
  EXPECT_FALSE(match_recorded(record.header, false, model));
  dynamic_cast<FakeRunner&>(*model.runner).set_faults(std::move(faults));
  const auto scheduler = make_scheduler(parse_scheduler(config.sched).value());
  return replay_in_virtual_time(record, engine_options(config, model), *scheduler, model.runner.get());
}

ReplayOutcome plans_only(const Record& record, const Config& config) {
  LoadedModel model = load(config);
  EXPECT_FALSE(match_recorded(record.header, false, model));
  const auto scheduler = make_scheduler(parse_scheduler(config.sched).value());
  return replay_in_virtual_time(record, engine_options(config, model), *scheduler, nullptr);
}

ReplayOutcome really(const Record& record, const Config& config) {
  const SystemClock clock;
  MetricsRegistry registry;
  ServingModel serving(load(config), config, clock, registry, [](const std::string&) {});
  return replay_in_real_time(record, serving.engine(), clock);
}

int count(const Record& record, Kind kind) {
  return static_cast<int>(
      std::count_if(record.events.begin(), record.events.end(), [&](const RecordEvent& e) { return e.kind == kind; }));
}

testing::AssertionResult same(const ReplayOutcome& outcome) {
  return outcome.first ? testing::AssertionFailure() << *outcome.first : testing::AssertionSuccess();
}

TEST(Replay, AMixedRunComesOutTheSame) {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    const Config config = crowded(seed % 2 == 0 ? "off" : "ngram:4");
    const Recorded run = record_a_run(config, seed);
    ASSERT_GT(count(run.record, Kind::kEnded), 20);
    EXPECT_EQ(count(run.record, Kind::kEnded), count(run.record, Kind::kReleased));
    const ReplayOutcome stepped = virtually(run.record, config);
    EXPECT_TRUE(same(stepped)) << " seed " << seed;
    EXPECT_EQ(stepped.n_steps, count(run.record, Kind::kPlanned));
    EXPECT_EQ(stepped.n_requests, count(run.record, Kind::kEnded));
    EXPECT_TRUE(same(plans_only(run.record, config))) << " seed " << seed;
    const ReplayOutcome real = really(run.record, config);
    EXPECT_TRUE(same(real)) << " seed " << seed;
    EXPECT_EQ(real.n_requests, stepped.n_requests);
    EXPECT_EQ(real.n_tokens, stepped.n_tokens);
  }
}

TEST(Replay, FailedStepsFailAgain) {
  using FaultKind = FakeFault::Kind;
  const Config config = crowded();
  const Recorded run = record_a_run(config, 7, {{5, FaultKind::kModelStep}, {20, FaultKind::kNonFinite}});
  EXPECT_EQ(count(run.record, Kind::kFailed), 2);
  EXPECT_EQ(count(run.record, Kind::kPlanned) - count(run.record, Kind::kCommitted), 2);
  EXPECT_TRUE(same(virtually(run.record, config)));
}

TEST(Replay, AChangedTokenIsFound) {
  const Config config = crowded();
  Recorded run = record_a_run(config, 3);
  const auto event = std::find_if(run.record.events.begin(), run.record.events.end(),
                                  [](const RecordEvent& e) { return e.kind == Kind::kEnded && e.tokens.size() > 4; });
  ASSERT_NE(event, run.record.events.end());
  event->tokens[3] = TokenId(event->tokens[3].value() ^ 1);
  const std::string where = "request " + std::to_string(event->id.value()) + ": output token 3 is ";
  for (const ReplayOutcome& outcome : {virtually(run.record, config), really(run.record, config)}) {
    ASSERT_TRUE(outcome.first);
    EXPECT_TRUE(outcome.first->starts_with(where)) << *outcome.first;
    EXPECT_EQ(outcome.n_different, 1);
  }
}

TEST(Replay, AChangedPlanIsFound) {
  const Config config = crowded();
  Recorded run = record_a_run(config, 4);
  for (RecordEvent& event : run.record.events) {
    if (event.kind == Kind::kPlanned && event.step == 9) event.digest ^= 1U;
  }
  const ReplayOutcome outcome = virtually(run.record, config);
  EXPECT_EQ(outcome.first, "step 9 has another plan");
  EXPECT_EQ(outcome.n_steps, 9);
}

TEST(Replay, OtherOptionsGiveOtherPlansAndTheSameTokens) {
  const Recorded run = record_a_run(crowded(), 5);
  Config other = crowded();
  other.max_prefill_chunk = 7;
  EXPECT_TRUE(virtually(run.record, other).first);
  EXPECT_TRUE(same(really(run.record, other)));
}

TEST(Replay, AnotherModelIsFound) {
  const Recorded run = record_a_run(crowded(), 6);
  Config other = crowded();
  other.model = "fake:vocab=299,eos_per_mille=10";
  EXPECT_TRUE(really(run.record, other).first);
}

}  // namespace
}  // namespace mie::test
