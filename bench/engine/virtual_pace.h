// A virtual clock, which only steps of the engine and waits of an idle one move. What falls due while the model computes is
// done at its instant, as by a client beside it. Owned by the simulated target; one thread does all.
#pragma once

#include "bench/engine/engine_pace.h"
#include "core/base/clock.h"
#include "core/engine/engine_loop.h"

#include <boost/asio/io_context.hpp>

namespace mie::bench {

class VirtualPace final : public EnginePace {
 public:
  VirtualPace(ManualClock& clock, boost::asio::io_context& io) : clock_(clock), io_(io) {}

  void drives(EngineLoop& loop) { loop_ = &loop; }  // once, before the first wait()
  void pass(Clock::duration time);                  // the model computes

  [[nodiscard]] std::int64_t now_ns() const override { return clock_.now().time_since_epoch().count(); }
  void begin(std::function<std::int64_t()> fire) override;
  ClientUse end() override;  // the engine has taken every release by then
  bool wait(std::int64_t until_ns) override;
  void wake() override {}  // there is no wait that takes time

 private:
  void move_to(std::int64_t at_ns);

  ManualClock& clock_;
  boost::asio::io_context& io_;
  EngineLoop* loop_ = nullptr;
  std::function<std::int64_t()> fire_;
};

}  // namespace mie::bench
