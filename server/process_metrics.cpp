#include "server/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

namespace mie {
namespace {

prometheus::Gauge& gauge(MetricsRegistry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry.families()).Add({});
}

double cpu_seconds() {
  timespec used{};
  // Past the seam because it is processor time, not time of day.
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double pages = 0, resident_pages = 0;
  statm >> pages >> resident_pages;
  return resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double open_fds() {
  std::error_code error;
  const std::filesystem::directory_iterator all("/proc/self/fd", error);
  if (error) return 0;
  return static_cast<double>(std::distance(begin(all), end(all))) - 1;  // the listing itself has one open
}

double max_fds() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<double>(limit.rlim_cur);
}

}  // namespace

ProcessMetrics::ProcessMetrics(MetricsRegistry& registry, const Clock& clock)
    : cpu_seconds_(prometheus::BuildCounter()
                       .Name("process_cpu_seconds_total")
                       .Help("User and system time")
                       .Register(registry.families())
                       .Add({})),
      resident_bytes_(gauge(registry, "process_resident_memory_bytes", "Resident memory")),
      open_fds_(gauge(registry, "process_open_fds", "Open descriptors")) {
  gauge(registry, "process_max_fds", "Most descriptors that may be open").Set(max_fds());
  gauge(registry, "process_start_time_seconds", "Unix time of the start").Set(static_cast<double>(clock.unix_seconds()));
}

void ProcessMetrics::refresh() {
  const std::lock_guard held(mutex_);
  cpu_seconds_.Increment(std::max(0.0, cpu_seconds() - cpu_seconds_.Value()));
  resident_bytes_.Set(resident_bytes());
  open_fds_.Set(open_fds());
}

}  // namespace mie
