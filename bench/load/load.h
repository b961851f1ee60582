// One load, whoever answers it: planned requests that wait for their clock to start, and what came of them. drive() and
// result() on one thread, stop() and progress() on any.
#pragma once

#include "bench/load/client_figures.h"
#include "bench/load/progress.h"
#include "bench/load/request_record.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mie::bench {

// Late: what arrives is kept and read after the run. Live: tokens are counted as they arrive too, because some reader goes away
// after a number of them.
enum class ParseMode : std::uint8_t { kLate, kLive };

struct LoadResult {
  std::vector<RequestRecord> records;  // in the order of the requests
  ClientFigures client;
  ParseMode parse = ParseMode::kLate;
  std::string broken_off;      // why the run is partial; empty: it is whole
  std::int64_t began_ns = 0;   // of the clock of its stamps: their zero
  std::int64_t length_ns = 0;  // to the last end
  std::int64_t bytes_in = 0, bytes_out = 0;
};

class Load {
 public:
  virtual ~Load() = default;

  virtual void drive() = 0;  // until all requests have ended. REQUIRES: once
  // Once: nothing more is sent, what is in flight ends. Twice: that is cut off too.
  virtual void stop() = 0;
  [[nodiscard]] virtual const LoadProgress& progress() const = 0;
  [[nodiscard]] virtual LoadResult result() const = 0;  // REQUIRES: drive() has returned
};

}  // namespace mie::bench
