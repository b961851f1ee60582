// The machine's clock: sleeps until shortly before the next instant, then spins. Owned by a target; the load's thread.
#pragma once

#include "bench/engine/engine_pace.h"
#include "bench/load/client_meter.h"
#include "bench/load/precedence.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <optional>

namespace mie::bench {

class RealPace final : public EnginePace {
 public:
  explicit RealPace(boost::asio::io_context& io) : io_(io), alarm_(io) {}

  [[nodiscard]] std::int64_t now_ns() const override;
  void begin(std::function<std::int64_t()> fire) override;
  ClientUse end() override;
  bool wait(std::int64_t until_ns) override;
  void wake() override;

 private:
  boost::asio::io_context& io_;
  boost::asio::steady_timer alarm_;
  ClientMeter meter_{};
  std::optional<Precedence> precedence_;
};

}  // namespace mie::bench
