#include "bench/metrics/command.h"

#include "bench/metrics/glossary.h"

#include <cstdio>

namespace mie {

MetricsBench::MetricsBench(CLI::App&) {}

Result<int> MetricsBench::run() {
  std::fputs(bench::glossary().c_str(), stdout);
  return 0;
}

}  // namespace mie
