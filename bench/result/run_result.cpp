#include "bench/result/run_result.h"

#include "bench/workload/draw/random_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <random>

namespace mie::bench {

std::string_view name_of(RunState state) {
  constexpr std::array<std::string_view, 6> kNames = {"ok", "partial", "client_bound", "not_steady", "mismatch", "disturbed"};
  return kNames.at(static_cast<std::size_t>(state));
}

std::span<const RequestRecord> records_of(const RunResult& result, const Repetition& repetition) {
  const auto own = [&](const RequestRecord& record) {
    return record.arm == repetition.arm && record.repetition == repetition.number;
  };
  const auto first = std::ranges::find_if(result.records, own);
  return {first, std::find_if_not(first, result.records.end(), own)};
}

Window window_of(const RunResult& result, const Repetition& repetition) {
  const Window window{std::max(result.window.begin_ns, repetition.began_ns),
                      std::min(result.window.end_ns, repetition.ended_ns)};
  return window.end_ns > window.begin_ns ? window : Window{};
}

// A reservoir: whatever comes later, each has had the same chance.
void keep_texts(RunResult& result) {
  std::vector<RequestRecord*> with_text;
  for (RequestRecord& record : result.records)
    if (!record.text.empty()) with_text.push_back(&record);
  const double wanted = std::ceil(result.spec.report.keep_text * static_cast<double>(with_text.size()));
  const auto size = static_cast<std::size_t>(wanted);
  if (size == 0) return;
  const RandomStream random("text", result.spec.seed);
  std::vector<RequestRecord*> kept(with_text.begin(), with_text.begin() + static_cast<std::ptrdiff_t>(size));
  for (std::size_t i = size; i < with_text.size(); ++i) {
    const auto place = static_cast<std::size_t>(random.uniform(i) * static_cast<double>(i + 1));
    if (place < size) kept[place] = with_text[i];
  }
  for (RequestRecord* record : kept) record->keeps_text = true;
}

std::string title_of(const Repetition& repetition) {
  return repetition.arm.empty() ? fmt::format("repetition {}", repetition.number)
                                : fmt::format("repetition {} of {}", repetition.number, repetition.arm);
}

std::string new_run_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  std::random_device random;
  const auto word = [&random] { return std::uint64_t{random()} << 32U | random(); };
  const std::uint64_t high = ms << 16U | 0x7000U | (word() & 0x0FFFU);             // time, version
  const std::uint64_t low = (word() & 0x3FFFFFFFFFFFFFFFU) | 0x8000000000000000U;  // variant
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U, high >> 16U & 0xFFFFU, high & 0xFFFFU, low >> 48U,
                     low & 0xFFFFFFFFFFFFU);
}

}  // namespace mie::bench
