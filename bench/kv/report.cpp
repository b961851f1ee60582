#include "bench/kv/report.h"

#include "bench/kv/oracles.h"
#include "core/base/build_info.h"
#include "models/native/probe.h"

#include <fmt/format.h>

#include <algorithm>

namespace mie::bench {
namespace {

double mib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

std::string resident_text(const std::optional<Resident>& resident) {
  if (!resident) return "-";
  const std::int64_t off = resident->measured_bytes - resident->expected_bytes;
  return fmt::format("{:.2f} {:+} KiB", mib(resident->expected_bytes), off / 1024);
}

std::string pool_text(const CapacityRow& row) {
  if (row.live == row.closed) return "same";
  return fmt::format("{} {} {}", row.live.n_blocks, row.live.pool_blocks, row.live.admitted);
}

std::string head(const KvReport& report) {
  const BuildInfo build = build_info();
  std::string out = fmt::format("mie {} ({}): KV cache of {} B a token in 1 GiB, sequences of {} tokens at most\n",
                                build.version, build.commit, kv_shape(1).bytes_per_token(), kLongestSequence);
  for (const LengthList& list : report.lists) {
    out += fmt::format("  {:<10} {} lengths of seed {}, {} tokens, sha256 {}{}\n", list.name, list.lengths.size(), kKvSeed,
                       list.sum(), list.sha256().substr(0, 16), list_exact(list) ? "" : "  ! not the published list");
  }
  return out;
}

std::string capacity_text(const KvReport& report) {
  std::string out =
      "\nCapacity: the closed form; whether the pool counts the same; resident MiB of the full pool's used blocks";
  if (report.resident == ResidentMode::kScaled) out += ",\nof a cache with 2 of the 24 layers";
  out += fmt::format("\n{:<10} {:>5} {:>8} {:>10} {:>7} {:>9} {:>7} {:>8} {:>6} {:>11} {:>8}  {:<5} {:>16}  {}\n", "list", "B",
                     "blocks", "reserved", "saved %", "waste MiB", "waste %", "cap(avg)", "x cont", "pool blocks", "admitted",
                     "pool", "resident", "published");
  for (const CapacityRow& row : report.capacity) {
    out += fmt::format(
        "{:<10} {:>5} {:>8} {:>10.2f} {:>7.2f} {:>9.2f} {:>7.2f} {:>8} {:>6.2f} {:>11} {:>8}  {:<5} {:>16}  {}\n", row.list,
        row.block_size, row.closed.n_blocks, row.reserved_mib(), row.saved_percent(), row.waste_mib(), row.waste_percent(),
        row.closed.by_mean, row.times_contiguous(), row.closed.pool_blocks, row.closed.admitted, pool_text(row),
        resident_text(row.resident), capacity_exact(row) ? "exact" : "! missed");
  }
  return out;
}

std::string cases_text(const KvReport& report) {
  std::string out = "\nExact cases: closed form, the pool, resident MiB of the used blocks\n";
  for (const ExactCase& one : report.cases) {
    out += fmt::format("{:<56} {:<40} {:<6} {:>16}  {}\n", one.what, one.closed, one.live == one.closed ? "same" : one.live,
                       resident_text(one.resident), one.exact() ? "exact" : "! published: " + one.expected);
  }
  return out;
}

std::string sharing_text(const KvReport& report) {
  std::string out = fmt::format(
      "\nShared prefix: {} sequences, {} tokens in common, {} of their own; blocks\n{:>5} {:>8} {:>8} {:>8} {:>8}\n",
      report.prefix.n_sequences, report.prefix.prefix_tokens, report.prefix.own_tokens, "B", "unshared", "shared", "pool",
      "saved %");
  for (const SharingRow& row : report.sharing) {
    out += fmt::format("{:>5} {:>8} {:>8} {:>8} {:>8.2f}\n", row.block_size, row.unshared, row.closed, row.live,
                       row.saved_percent());
  }
  return out;
}

std::string overhead_text(const KvReport& report) {
  std::string out = "\nBookkeeping of the full pool: bytes of its sequences' block tables, of the pool, both of its memory\n";
  out += fmt::format("{:<10} {:>5} {:>9} {:>9} {:>10}\n", "list", "B", "tables", "pool", "of memory");
  for (const CapacityRow& row : report.capacity) {
    const std::int64_t all = row.closed.table_bytes + row.pool_bytes;
    out += fmt::format("{:<10} {:>5} {:>9} {:>9} {:>8.4f} %\n", row.list, row.block_size, row.closed.table_bytes,
                       row.pool_bytes, 100 * static_cast<double>(all) / static_cast<double>(kKvMemoryBytes));
  }
  return out;
}

const char* rule_name(Reserve reserve) { return reserve == Reserve::kWhole ? "whole" : "growing"; }

std::string growth_text(const KvReport& report) {
  std::string out =
      "\nGrowth: the first half of a length is the prompt, the second is generated, one token a step; whole answers reserved,\n"
      "or blocks taken as they grow and the youngest computed again when none is free\n";
  out += fmt::format("{:<10} {:>5} {:<8} {:>7} {:>8} {:>9} {:>7} {:>8} {:>10} {:>11}\n", "list", "B", "reserved", "steps",
                     "running", "most", "used %", "waste %", "preempted", "recomputed");
  for (const GrowthRow& row : report.growth) {
    const GrowthFigures& figures = row.figures;
    out += fmt::format("{:<10} {:>5} {:<8} {:>7} {:>8.2f} {:>9} {:>7.2f} {:>8.2f} {:>10} {:>11}{}\n", row.list,
                       row.setting.block_size, rule_name(row.setting.reserve), figures.n_steps, figures.mean_running,
                       figures.most_running, 100 * figures.mean_utilisation, 100 * figures.mean_waste, figures.n_preemptions,
                       figures.n_recomputed, row.conserves() ? "" : "  ! tokens or blocks are lost");
  }
  return out;
}

std::string times_text(const KvReport& report) {
  if (report.times.empty()) return "";
  std::string out = fmt::format("\nTime of a decode step, one sequence: {}\n{:>8} {:>5} {:>9} {:>9} {:>9}\n", report.model,
                                "context", "B", "ms", "min", "max");
  for (const StepTime& time : report.times) {
    const std::string why = native::foreign_disturbance(time.foreign_cpu);
    out += fmt::format("{:>8} {:>5} {:>9.3f} {:>9.3f} {:>9.3f}{}\n", time.context, time.block_size, time.seconds * 1e3,
                       time.min * 1e3, time.max * 1e3, why.empty() ? "" : "  ! " + why);
  }
  return out;
}

}  // namespace

std::vector<std::string> KvReport::failures() const {
  std::vector<std::string> lines;
  const auto check = [&](bool holds, std::string line) {
    if (!holds) lines.push_back(std::move(line));
  };
  for (const LengthList& list : lists) check(list_exact(list), list.name + " is not the published list");
  for (const CapacityRow& row : capacity) {
    const std::string of = fmt::format("{} B = {}: ", row.list, row.block_size);
    check(capacity_exact(row), of + "not the published figures");
    check(row.live == row.closed, of + "the pool counts otherwise: " + pool_text(row));
    check(!row.resident || row.resident->agrees(), of + "resident memory is off: " + resident_text(row.resident));
  }
  for (const ExactCase& one : cases) {
    check(one.exact(), fmt::format("{}: published {}, closed form {}, pool {}, resident {}", one.what, one.expected, one.closed,
                                   one.live, resident_text(one.resident)));
  }
  for (const SharingRow& row : sharing)
    check(row.ways_agree(), fmt::format("sharing, B = {}: closed form {}, pool {}", row.block_size, row.closed, row.live));
  for (const GrowthRow& row : growth)
    check(row.conserves(), fmt::format("growth of {}, B = {}: tokens or blocks are lost", row.list, row.setting.block_size));
  return lines;
}

bool KvReport::disturbed() const {
  return std::ranges::any_of(times,
                             [](const StepTime& time) { return !native::foreign_disturbance(time.foreign_cpu).empty(); });
}

std::string as_text(const KvReport& report) {
  std::string out = head(report) + capacity_text(report) + cases_text(report) + sharing_text(report) + growth_text(report) +
                    overhead_text(report) + times_text(report);
  const auto failures = report.failures();
  out += failures.empty() ? "\nEvery published figure is exact and all ways agree.\n" : "\n";
  for (const std::string& line : failures) out += "! " + line + "\n";
  return out;
}

}  // namespace mie::bench
