// How time passes while a load is put to an engine in this process: by the machine's clock, or by a virtual one that the
// engine's steps move. Owned by a target; the load's thread.
#pragma once

#include "bench/load/client_meter.h"

#include <cstdint>
#include <functional>
#include <limits>

namespace mie::bench {

class EnginePace {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  virtual ~EnginePace() = default;

  [[nodiscard]] virtual std::int64_t now_ns() const = 0;

  // `fire`: does what is due at now_ns() and tells when the next thing is, or kNever. Called by whoever moves the time.
  virtual void begin(std::function<std::int64_t()> fire) = 0;
  virtual ClientUse end() = 0;  // what the thread used since begin()

  // Until something happened, at most until `until_ns`: handlers of the engine's streams run here. False: nothing can happen
  // any more.
  virtual bool wait(std::int64_t until_ns) = 0;
  virtual void wake() = 0;  // ends a wait. Any thread
};

}  // namespace mie::bench
