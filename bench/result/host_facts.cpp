#include "bench/result/host_facts.h"

#include "core/base/file_digest.h"
#include "models/native/isa.h"
#include "models/native/thread_pool.h"

#include <sys/utsname.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string_view>

namespace mie::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCpu0 = "/sys/devices/system/cpu/cpu0/";

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string of_cpu0(std::string_view name) { return first_line(std::string(kCpu0) + std::string(name)); }

std::optional<std::int64_t> number(const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  return end == text.c_str() ? std::nullopt : std::optional<std::int64_t>(value);
}

// The value of "key : value" in a file of such lines.
std::string value_of(const std::string& path, std::string_view key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    const std::size_t begin = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return {};
}

std::vector<std::string> caches() {
  std::vector<std::string> all;
  for (int index = 0; index < 8; ++index) {
    const std::string folder = "cache/index" + std::to_string(index) + "/";
    const std::string level = of_cpu0(folder + "level");
    if (!level.empty()) all.push_back("L" + level + " " + of_cpu0(folder + "type") + " " + of_cpu0(folder + "size"));
  }
  return all;
}

std::vector<std::string> mitigations() {
  std::vector<std::string> all;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/sys/devices/system/cpu/vulnerabilities", failed))
    all.push_back(entry.path().filename().string() + ": " + first_line(entry.path().string()));
  std::ranges::sort(all);
  return all;
}

int n_numa_nodes() {
  std::error_code failed;
  int n = 0;
  for (const auto& entry : fs::directory_iterator("/sys/devices/system/node", failed))
    n += entry.path().filename().string().starts_with("node") ? 1 : 0;
  return n;
}

std::string hash_of_hostname() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return sha256_of(std::as_bytes(std::span(name.data(), std::string_view(name.data()).size()))).substr(0, 12);
}

// The eighth number of the "cpu" line: ticks that the hypervisor gave to others.
double steal_seconds() {
  std::istringstream words(first_line("/proc/stat"));
  std::string word;
  for (int i = 0; i < 9 && words >> word; ++i) {
  }
  return static_cast<double>(number(word).value_or(0)) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

void write_state(json::JsonWriter& out, std::string_view name, const HostState& state) {
  out.key(name).begin_object().key("load_average").begin_array();
  for (const double load : state.load_average) out.number(load);
  out.end_array();
  out.member_or_null("khz", state.khz);
  out.member_or_null("thermal_throttles", state.n_throttles);
  out.key("steal_s").number(state.steal_s).end_object();
}

}  // namespace

HostFacts host_facts() {
  HostFacts facts;
  facts.hostname_hash = hash_of_hostname();
  facts.cpu = value_of("/proc/cpuinfo", "model name");
  utsname kernel{};
  if (::uname(&kernel) == 0) facts.kernel = std::string(kernel.sysname) + " " + kernel.release + " " + kernel.machine;
  facts.clocksource = first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  facts.governor = of_cpu0("cpufreq/scaling_governor");
  facts.huge_pages = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  facts.turbo = first_line("/sys/devices/system/cpu/cpufreq/boost");
  facts.isa = native::isa_name(native::best_isa());
  facts.n_online = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  facts.affinity = native::allowed_cores();
  if (const auto active = number(first_line("/sys/devices/system/cpu/smt/active"))) facts.smt = *active != 0;
  facts.caches = caches();
  facts.mitigations = mitigations();
  facts.min_khz = number(of_cpu0("cpufreq/cpuinfo_min_freq"));
  facts.max_khz = number(of_cpu0("cpufreq/cpuinfo_max_freq"));
  facts.ram_bytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  facts.n_numa_nodes = n_numa_nodes();
  facts.cpu_quota = first_line("/sys/fs/cgroup/cpu.max");
  facts.container = fs::exists("/.dockerenv") || !value_of("/proc/1/environ", "container").empty();
  return facts;
}

HostState host_state() {
  HostState state;
  std::array<double, 3> load{};
  if (::getloadavg(load.data(), 3) == 3) state.load_average = load;
  state.khz = number(of_cpu0("cpufreq/scaling_cur_freq"));
  state.n_throttles = number(of_cpu0("thermal_throttle/core_throttle_count"));
  state.steal_s = steal_seconds();
  return state;
}

void write_host(json::JsonWriter& out, const HostFacts& facts, const HostState& before, const HostState& after) {
  out.begin_object().member("hostname_hash", std::string_view(facts.hostname_hash));
  out.member_or_null("cpu", facts.cpu);
  out.member("threads_online", facts.n_online).key("affinity").begin_array();
  for (const int core : facts.affinity) out.integer(core);
  out.end_array();
  out.member_or_null("governor", facts.governor);
  out.member_or_null("min_khz", facts.min_khz);
  out.member_or_null("max_khz", facts.max_khz);
  out.member_or_null("turbo", facts.turbo);
  facts.smt ? out.member("smt", *facts.smt) : out.null_member("smt");
  out.member("caches", facts.caches);
  out.member("isa", std::string_view(facts.isa)).member("ram_bytes", facts.ram_bytes);
  out.member_or_null("huge_pages", facts.huge_pages);
  out.member("numa_nodes", facts.n_numa_nodes);
  out.member_or_null("kernel", facts.kernel);
  out.member("mitigations", facts.mitigations);
  out.member_or_null("clocksource", facts.clocksource);
  out.member("container", facts.container);
  out.member_or_null("cpu_quota", facts.cpu_quota);
  write_state(out, "before", before);
  write_state(out, "after", after);
  out.end_object();
}

}  // namespace mie::bench
