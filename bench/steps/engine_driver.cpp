#include "bench/steps/engine_driver.h"

#include "core/base/ensure.h"
#include "core/engine/engine.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <future>

namespace mie::bench {
namespace {

net::awaitable<DrivenAnswer> read(Engine& engine, std::shared_ptr<TokenStream> stream) {
  DrivenAnswer answer;
  for (;;) {
    TokenBatch batch = co_await stream->next();
    for (const Sampled& sampled : batch.tokens) answer.tokens.push_back(sampled.token);
    if (!batch.finish) continue;
    answer.finish = *std::move(batch.finish);
    engine.release(stream->id(), answer.finish.error ? Outcome::kError : Outcome::kComplete,
                   static_cast<int>(answer.tokens.size()));
    co_return answer;
  }
}

std::vector<Request> requests_of(std::span<const Question> questions, int n_choices, Clock::time_point now) {
  std::vector<Request> requests;
  for (const Question& question : questions) {
    SamplingParams::Raw raw;
    raw.temperature = question.temperature;
    raw.seed = question.seed;
    for (int j = 0; j < n_choices; ++j) {
      Request& request = requests.emplace_back();
      request.prompt = question.prompt;
      request.sampling = *SamplingParams::from(raw, 1 << 20);
      request.max_tokens = question.n_new;
      request.arrival = now;
      request.choice = j;
      request.n_choices = n_choices;
    }
  }
  return requests;
}

}  // namespace

std::vector<DrivenAnswer> answer(ModelRunner& runner, const DriveSetup& setup, std::span<const std::vector<TokenId>> prompts,
                                 int n_new) {
  std::vector<Question> questions;
  questions.reserve(prompts.size());
  for (const auto& prompt : prompts) questions.push_back({.prompt = prompt, .n_new = n_new});
  return answer(runner, setup, questions);
}

std::vector<DrivenAnswer> answer(ModelRunner& runner, const DriveSetup& setup, std::span<const Question> questions) {
  EngineOptions options;
  options.limits = limits_for(setup.scheduler, setup.limits);
  options.n_blocks = setup.n_blocks;
  options.block_size = setup.block_size;
  options.max_model_len = setup.max_model_len;
  options.keep_kv = setup.keep_kv;
  options.prefix_caching = setup.prefix_caching;
  options.n_drafts = setup.n_drafts;
  if (setup.n_drafts > 0) options.limits.draft_rows = std::min(kDraftRows, options.limits.max_tokens);
  options.max_queue = static_cast<int>(questions.size()) * setup.n_choices;
  options.step_limit = std::chrono::minutes(5);  // a busy machine is not a stuck one
  options.paranoid = true;
  const SystemClock clock;
  MetricsRegistry metrics;
  const auto scheduler = make_scheduler(setup.scheduler);
  net::io_context io;
  Engine engine(options, *scheduler, runner, clock, metrics);
  engine.start();
  auto streams = engine.submit(requests_of(questions, setup.n_choices, clock.now()), io.get_executor());
  ENSURE(streams.has_value(), "questions that the engine can take");
  std::vector<std::future<DrivenAnswer>> reading;
  reading.reserve(streams->size());
  for (auto& stream : *streams) reading.push_back(net::co_spawn(io, read(engine, std::move(stream)), net::use_future));
  io.run();
  std::vector<DrivenAnswer> answers;
  answers.reserve(reading.size());
  for (auto& one : reading) answers.push_back(one.get());
  engine.stop();
  return answers;
}

}  // namespace mie::bench
