// Shows a load while it runs: a screen that is drawn four times a second on a terminal, else a line of JSON a second. Draws on
// a thread of its own. Owned by the command.
#pragma once

#include "bench/run/watcher.h"

#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>

namespace mie::bench {

class LiveDisplay final : public Watcher {
 public:
  explicit LiveDisplay(std::FILE* out);
  ~LiveDisplay() override;

  void begins(const LoadTitle& title, const WorkloadSpec& spec, const Load& load) override;
  void server_said(const ServerSample& sample) override;
  void ended() override;

 private:
  void draw(const LoadTitle& title, const WorkloadSpec& spec, const LoadProgress& progress, const std::stop_token& stop);
  void show(const std::string& text);

  std::FILE* out_;
  bool is_terminal_, on_screen_ = false;
  std::mutex mutex_;
  MetricSums server_;
  std::jthread thread_;
};

}  // namespace mie::bench
