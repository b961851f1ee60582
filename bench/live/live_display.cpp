#include "bench/live/live_display.h"

#include "bench/live/live_figures.h"
#include "bench/live/live_text.h"
#include "bench/load/stamp_clock.h"

#include <fmt/format.h>

#include <unistd.h>
#include <chrono>
#include <condition_variable>

namespace mie::bench {
namespace {

constexpr std::chrono::milliseconds kOnTerminal{250}, kElsewhere{1000};

}  // namespace

LiveDisplay::LiveDisplay(std::FILE* out) : out_(out), is_terminal_(::isatty(::fileno(out)) == 1) {}
LiveDisplay::~LiveDisplay() { ended(); }

void LiveDisplay::begins(const LoadTitle& title, const WorkloadSpec& spec, const Load& load) {
  on_screen_ = false;
  server_.clear();
  thread_ = std::jthread(
      [this, title, &spec, &progress = load.progress()](const std::stop_token& stop) { draw(title, spec, progress, stop); });
}

void LiveDisplay::server_said(const ServerSample& sample) {
  const std::lock_guard held(mutex_);
  server_ = sample.sums;
}

void LiveDisplay::ended() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

// Once more at the end, so that the last figures are those of the whole load.
void LiveDisplay::draw(const LoadTitle& title, const WorkloadSpec& spec, const LoadProgress& progress,
                       const std::stop_token& stop) {
  LiveMeter meter(progress, spec.requests.longest_s());
  std::mutex mutex;
  std::condition_variable_any woken;
  for (bool last = false; !last;) {
    {
      std::unique_lock held(mutex);
      woken.wait_for(held, stop, is_terminal_ ? kOnTerminal : kElsewhere, [] { return false; });
    }
    last = stop.stop_requested();
    std::unique_lock held(mutex_);
    const LiveFigures figures = meter.look(stamp_ns(), server_);
    held.unlock();
    show(is_terminal_ ? screen_of(title, spec, figures) : json_line_of(title, figures));
  }
}

// Over the screen before: up, and each line cleared before it is written.
void LiveDisplay::show(const std::string& text) {
  if (!is_terminal_) {
    std::fputs(text.c_str(), out_);
    std::fflush(out_);
    return;
  }
  std::string screen = on_screen_ ? fmt::format("\x1b[{}A", kScreenLines) : std::string();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    screen += "\x1b[2K" + text.substr(begin, end - begin);
    begin = end;
  }
  std::fputs(screen.c_str(), out_);
  std::fflush(out_);
  on_screen_ = true;
}

}  // namespace mie::bench
