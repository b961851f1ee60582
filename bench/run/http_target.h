// A server over HTTP: one that runs, or a `mie serve` of our own for each load.
#pragma once

#include "bench/run/target.h"

#include <filesystem>

namespace mie::bench {

// `url` empty: of our own, which log into `folder`. `model`: that will be asked for; empty: the first that is served.
class HttpTargets final : public Targets {
 public:
  HttpTargets(std::string url, HeaderFields fields, std::filesystem::path folder, std::string model);

  [[nodiscard]] TargetKind kind() const override { return TargetKind::kHttp; }
  Result<OpenedTarget> open(const std::vector<std::string>& flags, std::string_view name) override;
  void rest(std::chrono::duration<double> time) override;

 private:
  std::string url_;
  HeaderFields fields_;
  std::filesystem::path folder_;
  std::string model_;
  int n_opened_ = 0;
};

}  // namespace mie::bench
