#include "tests/engine/running_engine.h"

#include <stdexcept>
#include <utility>

namespace mie::test {
namespace {

using namespace std::chrono_literals;

EngineOptions options_of(const EngineSetup& setup) {
  EngineOptions options;
  options.limits = limits_for(setup.scheduler, setup.limits);
  options.n_blocks = setup.n_blocks;
  options.block_size = setup.block_size;
  options.max_model_len = 200;
  options.max_queue = setup.max_queue;
  options.max_queue_tokens = setup.max_queue_tokens;
  options.step_limit = setup.step_limit;
  options.paranoid = true;
  options.on_fatal = setup.on_fatal;
  return options;
}

}  // namespace

const Clock& RunningEngine::system_clock() {
  static const SystemClock kClock;
  return kClock;
}

RunningEngine::RunningEngine(EngineSetup engine_setup, const Clock& clock)
    : setup(std::move(engine_setup)),
      runner(setup.model, setup.n_blocks, setup.block_size),
      scheduler(make_scheduler(setup.scheduler)),
      engine(options_of(setup), *scheduler, runner, clock, registry),
      work_(io.get_executor()) {
  for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { io.run(); });
}

RunningEngine::~RunningEngine() {
  engine.stop();
  work_.reset();
  for (auto& thread : threads_) thread.join();
}

std::shared_ptr<TokenStream> RunningEngine::submit(Request request) {
  request.arrival = Clock::time_point::max();  // now
  std::vector<Request> one;
  one.push_back(std::move(request));
  auto streams = engine.submit(std::move(one), net::make_strand(io));
  if (!streams) throw std::runtime_error(streams.error().message);
  return streams->front();
}

net::awaitable<Reply> RunningEngine::read_all(std::shared_ptr<TokenStream> stream) {
  Reply reply;
  for (;;) {
    TokenBatch batch = co_await stream->next();
    ++reply.n_batches;
    for (const Sampled& sampled : batch.tokens) reply.tokens.push_back(sampled.token);
    if (batch.finish) {
      reply.finish = *std::move(batch.finish);
      break;
    }
  }
  const bool failed = reply.finish.error.has_value();
  engine.release(stream->id(), failed ? Outcome::kError : Outcome::kComplete, static_cast<int>(reply.tokens.size()));
  co_return reply;
}

std::future<Reply> RunningEngine::read(std::shared_ptr<TokenStream> stream) {
  return net::co_spawn(stream->executor(), read_all(stream), net::use_future);
}

bool RunningEngine::settle() {
  for (int i = 0; i < 1000; ++i) {
    if (wait(engine.snapshot()).n_unreleased == 0) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

void Gate::allow(int n_steps) {
  const std::lock_guard held(mutex_);
  n_allowed_ += n_steps;
  changed_.notify_all();
}

void Gate::open() {
  const std::lock_guard held(mutex_);
  open_ = true;
  changed_.notify_all();
}

void Gate::pass() {
  std::unique_lock held(mutex_);
  ++n_arrived_;
  changed_.notify_all();
  changed_.wait(held, [this] { return open_ || n_passed_ < n_allowed_; });
  ++n_passed_;
}

bool Gate::wait_for_arrival(int n) {
  std::unique_lock held(mutex_);
  return changed_.wait_for(held, 10s, [&] { return n_arrived_ >= n; });
}

}  // namespace mie::test
