#include "tests/models/torch/engine_driver.h"

#include "core/engine/engine.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <future>
#include <stdexcept>

namespace mie::test {
namespace {

net::awaitable<Answer> read(Engine& engine, std::shared_ptr<TokenStream> stream) {
  Answer answer;
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

std::vector<Request> greedy_requests(std::span<const std::vector<TokenId>> prompts, int n_new, Clock::time_point now) {
  SamplingParams::Raw greedy;
  greedy.temperature = 0;
  std::vector<Request> requests;
  for (const auto& prompt : prompts) {
    Request& request = requests.emplace_back();
    request.prompt = prompt;
    request.sampling = *SamplingParams::from(greedy, 1 << 20);
    request.max_tokens = n_new;
    request.arrival = now;
  }
  return requests;
}

}  // namespace

std::vector<Answer> answer(ModelRunner& runner, const EngineSetup& setup, std::span<const std::vector<TokenId>> prompts,
                           int n_new) {
  EngineOptions options;
  options.limits = limits_for(setup.scheduler, setup.limits);
  options.n_blocks = setup.n_blocks;
  options.block_size = setup.block_size;
  options.max_model_len = setup.max_model_len;
  options.step_limit = std::chrono::minutes(5);  // a busy machine is not a stuck one
  options.paranoid = true;
  const SystemClock clock;
  MetricsRegistry metrics;
  const auto scheduler = make_scheduler(setup.scheduler);
  net::io_context io;
  Engine engine(options, *scheduler, runner, clock, metrics);
  engine.start();
  auto streams = engine.submit(greedy_requests(prompts, n_new, clock.now()), io.get_executor());
  if (!streams) throw std::runtime_error(streams.error().message);
  std::vector<std::future<Answer>> reading;
  reading.reserve(streams->size());
  for (auto& stream : *streams) reading.push_back(net::co_spawn(io, read(engine, std::move(stream)), net::use_future));
  io.run();
  std::vector<Answer> answers;
  answers.reserve(reading.size());
  for (auto& one : reading) answers.push_back(one.get());
  engine.stop();
  return answers;
}

}  // namespace mie::test
