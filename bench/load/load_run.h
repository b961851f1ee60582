// One load on one server, from planned requests to records: prepare, drive, result. Made by whoever measures; prepare, drive
// and result on one thread, stop() and progress() on any.
#pragma once

#include "bench/load/client_figures.h"
#include "bench/load/load_settings.h"
#include "bench/load/progress.h"
#include "bench/load/request_record.h"
#include "bench/workload/planned_request.h"
#include "core/base/error.h"

#include <cstdint>
#include <memory>
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
  std::int64_t began_ns = 0;   // of the stamp clock: the zero of all stamps
  std::int64_t length_ns = 0;  // to the last end
  std::int64_t bytes_in = 0, bytes_out = 0;
};

class LoadRun {
 public:
  // Serialises the requests, takes all memory and opens connections. Error kConfig: the URL, or no memory or descriptors.
  static Result<std::unique_ptr<LoadRun>> prepare(LoadSettings settings, std::vector<PlannedRequest> requests);
  ~LoadRun();

  void drive();  // REQUIRES: once
  void stop();   // as LoadLoop::stop; safe in a signal handler
  [[nodiscard]] const LoadProgress& progress() const;
  [[nodiscard]] LoadResult result() const;  // reads what arrived. REQUIRES: drive() has returned

 private:
  struct Parts;
  explicit LoadRun(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// The three in one.
[[nodiscard]] Result<LoadResult> run_load(LoadSettings settings, std::vector<PlannedRequest> requests);

}  // namespace mie::bench
