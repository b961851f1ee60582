#include "models/native/foreign_cpu.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace mie::native {
namespace {

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

}  // namespace

ForeignCpu::ForeignCpu() : start_(used()) {}

double ForeignCpu::share() const {
  const Used now = used();
  const double all = now.all - start_.all;
  if (all <= 0) return 0;
  return std::clamp((now.busy - start_.busy - (now.own - start_.own)) / all, 0.0, 1.0);
}

// First line of /proc/stat: "cpu user nice system idle iowait irq softirq steal guest guest_nice"; guests are part of user.
ForeignCpu::Used ForeignCpu::used() {
  constexpr int kFields = 8, kIdle = 3, kIowait = 4;
  std::ifstream stat("/proc/stat");
  std::string label;
  stat >> label;
  Used used;
  for (int field = 0; field < kFields; ++field) {
    double ticks = 0;
    if (!(stat >> ticks)) return {};
    used.all += ticks;
    if (field != kIdle && field != kIowait) used.busy += ticks;
  }
  const auto per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  used.all /= per_second;
  used.busy /= per_second;
  rusage own{};
  ::getrusage(RUSAGE_SELF, &own);
  used.own = seconds(own.ru_utime) + seconds(own.ru_stime);
  return used;
}

}  // namespace mie::native
