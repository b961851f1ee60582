// One load on one server, from planned requests to records: prepare, drive, result. Made by whoever measures; prepare, drive
// and result on one thread, stop() and progress() on any.
#pragma once

#include "bench/load/load.h"
#include "bench/load/load_settings.h"
#include "bench/workload/planned_request.h"
#include "core/base/error.h"

#include <memory>
#include <vector>

namespace mie::bench {

class LoadRun final : public Load {
 public:
  // Serialises the requests, takes all memory and opens connections. Error kConfig: the URL, or no memory or descriptors.
  static Result<std::unique_ptr<LoadRun>> prepare(LoadSettings settings, std::vector<PlannedRequest> requests);
  ~LoadRun() override;

  void drive() override;
  void stop() override;  // safe in a signal handler
  [[nodiscard]] const LoadProgress& progress() const override;
  [[nodiscard]] LoadResult result() const override;  // reads what arrived

 private:
  struct Parts;
  explicit LoadRun(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// The three in one.
[[nodiscard]] Result<LoadResult> run_load(LoadSettings settings, std::vector<PlannedRequest> requests);

}  // namespace mie::bench
