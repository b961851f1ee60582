#include "bench/load/client_meter.h"

#include "bench/load/stamp_clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <ctime>
#include <string_view>

namespace mie::bench {
namespace {

std::int64_t thread_cpu_ns() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

// The second number of the kernel's line "on the CPU, on the run queue, time slices"; 0 where it keeps none.
std::int64_t run_queue_ns() {
  std::array<char, 128> text{};
  const int file = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const auto n = ::read(file, text.data(), text.size());
  ::close(file);
  const std::string_view line(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  const auto space = line.find(' ');
  std::int64_t out = 0;
  if (space != std::string_view::npos) std::from_chars(line.data() + space + 1, line.data() + line.size(), out);
  return out;
}

}  // namespace

void ClientMeter::begin() {
  began_queue_ns_ = run_queue_ns();
  began_cpu_ns_ = thread_cpu_ns();
  began_ns_ = away_since_ns_ = stamp_ns();
}

void ClientMeter::end() {
  use_.wall_ns = stamp_ns() - began_ns_;
  use_.cpu_ns = thread_cpu_ns() - began_cpu_ns_;
  use_.run_queue_ns = run_queue_ns() - began_queue_ns_;
}

}  // namespace mie::bench
