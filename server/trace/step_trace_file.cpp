#include "server/trace/step_trace_file.h"

#include "core/base/build_info.h"
#include "core/base/log.h"
#include "server/trace/step_json.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cerrno>
#include <cstring>

namespace mie {
namespace {

constexpr auto kPause = std::chrono::milliseconds(50);

}  // namespace

Result<std::unique_ptr<StepTraceFile>> StepTraceFile::open(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return Error{Errc::kConfig, "--step-trace: cannot write " + path + ": " + std::strerror(errno), ""};
  return std::unique_ptr<StepTraceFile>(new StepTraceFile(file));
}

StepTraceFile::~StepTraceFile() { stop(); }

void StepTraceFile::start(Engine& engine) {
  json::JsonWriter head;
  head.begin_object().member("mie_step_trace", 1).member("version", build_info().version);
  head.member("commit", build_info().commit).member("step_ring", engine.options().step_ring).end_object();
  write_line(head.take());
  net::co_spawn(context_, follow(this, &engine), [](std::exception_ptr error) {
    if (error) logger("trace")->error("the step trace has ended early");
  });
  thread_ = std::thread([this] { context_.run(); });
}

void StepTraceFile::stop() {
  stopping_ = true;  // the writer looks every kPause
  if (thread_.joinable()) thread_.join();
  if (file_ != nullptr) std::fclose(std::exchange(file_, nullptr));
}

net::awaitable<void> StepTraceFile::follow(StepTraceFile* self, Engine* engine) {
  TraceCursor cursor;
  for (bool last = false; !last;) {
    last = self->stopping_;
    const StepTraceCopy copy = co_await engine->steps_since(cursor);
    cursor = copy.next;
    self->write(copy);
    if (last || self->stopping_) continue;
    self->pause_.expires_after(kPause);
    co_await self->pause_.async_wait(net::as_tuple(net::use_awaitable));
  }
}

void StepTraceFile::write(const StepTraceCopy& copy) {
  if (copy.n_lost_steps + copy.n_lost_events > 0) {
    json::JsonWriter out;
    out.begin_object().member("lost_steps", copy.n_lost_steps).member("lost_events", copy.n_lost_events).end_object();
    write_line(out.take());
  }
  for (const RequestEvent& event : copy.events) {
    json::JsonWriter out;
    write_event(out, event);
    write_line(out.take());
  }
  for (const TracedStep& step : copy.steps) {
    json::JsonWriter out;
    write_step(out, step, copy.rows_of(step));
    write_line(out.take());
  }
  std::fflush(file_);
}

void StepTraceFile::write_line(const std::string& line) {
  if (std::fprintf(file_, "%s\n", line.c_str()) < 0 && !std::exchange(full_, true))
    logger("trace")->error("--step-trace: {}", std::strerror(errno));
}

}  // namespace mie
