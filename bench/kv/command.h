// `mie bench kv`: capacity and waste of the KV cache by block size (bench/kv/kv.h).
#pragma once

#include "bench/bench_command.h"
#include "bench/kv/kv.h"

#include <string>

namespace mie {

class BenchKv final : public BenchSubcommand {
 public:
  explicit BenchKv(CLI::App& command);
  Result<int> run() override;

 private:
  bench::KvOptions options_;
  std::string resident_ = "scaled";
};

}  // namespace mie
