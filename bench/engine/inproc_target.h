// The engine in this process, started as `mie serve` starts it, with no server before it. What HTTP takes longer is the price
// of the server.
#pragma once

#include "bench/run/target.h"

namespace mie::bench {

class InprocTargets final : public Targets {
 public:
  [[nodiscard]] TargetKind kind() const override { return TargetKind::kInproc; }
  Result<OpenedTarget> open(const std::vector<std::string>& flags, std::string_view name) override;
  void rest(std::chrono::duration<double> time) override;
};

}  // namespace mie::bench
