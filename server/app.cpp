#include "server/app.h"

#include "core/base/build_info.h"
#include "core/base/log.h"

#include "server/record/record_header.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace mie {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(5);
constexpr auto kLastFrames = std::chrono::seconds(2);  // for answers to reach their clients after a drain
constexpr auto kLastFramesAtOnce = std::chrono::milliseconds(100);

void print_line(const std::string& message) {
  std::fprintf(stderr, "mie: %s\n", message.c_str());
  std::fflush(stderr);
}

}  // namespace

App::App(const Config& config)
    : config_(config),
      service_(config_.server, clock_, registry_),
      table_({config.server.max_connections, config.server.max_connections_per_address}),
      context_(config.io_threads),
      strand_(net::make_strand(context_)),
      signals_(strand_) {
  if (!config_.seed.empty()) service_.use_seed(std::stoull(config_.seed));
}

App::~App() {
  if (loader_.joinable()) loader_.join();
}

std::optional<Error> App::open() {
  auto listener = Listener::open(context_, config_.listen, service_, table_);
  if (listener.has_error()) return listener.error();
  listener_ = std::move(*listener);
  if (!config_.step_trace.empty()) {
    auto file = StepTraceFile::open(config_.step_trace);
    if (file.has_error()) return file.error();
    step_trace_ = std::move(*file);
  }
  if (!config_.record.empty()) {
    auto file = Recorder::open(config_.record);
    if (file.has_error()) return file.error();
    recorder_ = std::move(*file);
  }
  return {};
}

int App::run() {
  std::signal(SIGPIPE, SIG_IGN);
  signals_.add(SIGTERM);
  signals_.add(SIGINT);
  const auto keep = net::make_work_guard(context_);
  net::co_spawn(strand_, watch_signals(this), service_.tasks().supervise("signals"));
  listener_->start();
  logger("http")->info("listening on={} version={} commit={}", listener_->name(), build_info().version, build_info().commit);
  loader_ = std::thread([this] { load(); });
  std::vector<std::thread> extra;
  for (int i = 1; i < config_.io_threads; ++i) extra.emplace_back([this] { context_.run(); });
  context_.run();
  for (auto& thread : extra) thread.join();
  service_.slow_lane().join();
  if (step_trace_) step_trace_->stop();
  if (serving_) serving_->engine().stop();
  if (recorder_) recorder_->stop();
  return exit_code_;
}

// On the loading thread.
void App::load() {
  std::optional<Error> failure;
  try {
    auto model =
        load_model(config_, clock_, [this](std::string_view phase, double s) { service_.metrics().load_phase(phase, s); });
    if (model.has_error()) {
      failure = model.error();
    } else {
      if (recorder_) recorder_->start(record_header(config_, *model), clock_.now());
      loading_ = std::make_unique<ServingModel>(
          std::move(*model), config_, clock_, registry_, [this](const std::string& reason) { fatal(reason); }, recorder_.get());
    }
  } catch (const std::exception& error) {
    failure = Error{Errc::kModelFormat, std::string("loading the model failed: ") + error.what(), ""};
  }
  net::post(strand_, [this, failure = std::move(failure)] { loaded(failure); });
}

void App::loaded(std::optional<Error> failure) {
  load_done_ = true;
  if (failure) {
    listener_->close();
    print_line(failure->message);
    return finish(kExitConfig);
  }
  serving_ = std::move(loading_);
  if (step_trace_) step_trace_->start(serving_->engine());
  publish_info();
  service_.serve(serving_->loaded());
  if (draining_) {
    serving_->engine().begin_drain();
    return;
  }
  const api::ServedModel& model = serving_->model();
  logger("http")->info("ready model={} backend={} isa={} max_model_len={} kv_blocks={} block_size={} url=http://{}",
                       model.names.front(), model.backend, model.isa.empty() ? "-" : model.isa, model.max_model_len,
                       serving_->engine().options().n_blocks, serving_->engine().options().block_size, listener_->name());
}

void App::publish_info() {
  const BuildInfo build = build_info();
  const api::ServedModel& model = serving_->model();
  service_.metrics().info("mie_build_info", "What this binary is",
                          {{"version", std::string(build.version)},
                           {"commit", std::string(build.commit)},
                           {"compiler", std::string(build.compiler)},
                           {"backend", model.backend},
                           {"isa", model.isa}});
  service_.metrics().info(
      "mie_model_info", "What model is served",
      {{"architecture", model.architecture}, {"weight_format", model.weight_format}, {"kv_dtype", model.kv_dtype}});
}

void App::request_stop() {
  net::post(strand_, [this] { start_draining(); });
}

net::awaitable<void> App::watch_signals(App* self) {
  for (;;) {
    const auto [ec, number] = co_await self->signals_.async_wait(net::as_tuple(net::use_awaitable));
    if (ec) co_return;
    ++self->n_signals_;
    logger("http")->info("signal={} count={}", number, self->n_signals_);
    if (self->n_signals_ == 1) self->start_draining();
  }
}

void App::start_draining() {
  if (draining_) return;
  draining_ = true;
  service_.begin_drain();
  if (serving_) serving_->engine().begin_drain();
  table_.close_idle();
  net::co_spawn(strand_, drain(this), service_.tasks().supervise("drain"));
}

// Until the engine has nothing left, time is up or a second signal came. Polled: it happens once in a process.
net::awaitable<void> App::wait_for_idle(Clock::time_point deadline) {
  net::steady_timer pause(strand_);
  while (n_signals_ < 2 && clock_.now() < deadline) {
    const EngineHealth health = serving_->engine().health();
    if (health.n_running + health.n_waiting == 0) co_return;
    pause.expires_after(kPoll);
    co_await pause.async_wait(net::use_awaitable);
  }
}

net::awaitable<void> App::drain(App* self) {
  net::steady_timer pause(self->strand_);
  if (self->serving_) {
    co_await self->wait_for_idle(self->clock_.now() + self->config_.server.drain_timeout);
    if (self->n_signals_ < 2)
      co_await end_all(self);
    else
      net::co_spawn(self->strand_, end_all(self), self->service_.tasks().supervise("end_all"));
  }
  self->table_.close_waiting();
  const bool at_once = self->n_signals_ >= 2;
  const auto deadline = self->clock_.now() + (at_once ? Clock::duration(kLastFramesAtOnce) : kLastFrames);
  // What still runs besides sessions: the listener, the signal watch and this.
  constexpr int kOwnTasks = 3;
  while (self->service_.tasks().n_running() > kOwnTasks && self->clock_.now() < deadline) {
    pause.expires_after(kPoll);
    co_await pause.async_wait(net::use_awaitable);
  }
  self->finish(at_once || self->n_signals_ >= 2 ? kExitAtOnce : kExitClean);
}

net::awaitable<void> App::end_all(App* self) { (void)co_await self->serving_->engine().drain(std::chrono::seconds(0)); }

// A stuck step or an unfinished load cannot be joined; the process leaves without them.
void App::finish(int exit_code) {
  exit_code_ = exit_code;
  listener_->close();
  logger("http")->info("exit code={}", exit_code);
  if (exit_code == kExitAtOnce || !load_done_) {
    listener_.reset();
    std::_Exit(exit_code);
  }
  signals_.cancel();
  context_.stop();
}

// On the engine thread. Every request has its error by now; a second gives the answers time to leave.
void App::fatal(const std::string& reason) {
  logger("engine")->critical("fatal=\"{}\"", reason);
  net::post(strand_, [this] {
    table_.close_waiting();
    auto pause = std::make_shared<net::steady_timer>(strand_, std::chrono::milliseconds(500));
    pause->async_wait([this, pause](const boost::system::error_code&) {
      listener_->close();
      std::_Exit(kExitBroken);
    });
  });
}

}  // namespace mie
