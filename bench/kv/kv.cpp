#include "bench/kv/kv.h"

#include "bench/kv/report.h"
#include "models/registry.h"
#include "models/weights/gguf.h"

namespace mie::bench {
namespace {

Result<std::vector<CapacityRow>> capacity_rows(const std::vector<LengthList>& lists, ResidentMode mode) {
  std::vector<CapacityRow> rows;
  for (const LengthList& list : lists) {
    for (const int block_size : kKvBlockSizes) {
      auto row = capacity_row(list, block_size, mode);
      if (!row) return row.error();
      rows.push_back(std::move(*row));
    }
  }
  return rows;
}

Result<std::vector<StepTime>> times_of(const KvOptions& options) {
  auto file = GgufFile::open(options.model);
  if (!file) return file.error();
  const auto plan = plan_model(**file);
  if (!plan) return plan.error();
  return step_times(*plan, **file, {.isa = options.isa, .n_threads = options.n_threads});
}

}  // namespace

Result<KvOutcome> run_kv(const KvOptions& options) {
  KvReport report{.resident = options.resident, .lists = kv_length_lists(kKvSeed), .prefix = kSharedChat};
  auto capacity = capacity_rows(report.lists, options.resident);
  if (!capacity) return capacity.error();
  report.capacity = std::move(*capacity);
  auto cases = exact_cases(options.resident == ResidentMode::kOff ? WithMemory::kNo : WithMemory::kYes);
  if (!cases) return cases.error();
  report.cases = std::move(*cases);
  report.sharing = sharing_rows(report.prefix);
  report.growth = growth_rows(report.lists);
  if (options.time) {
    auto times = times_of(options);
    if (!times) return times.error();
    report.model = options.model;
    report.times = std::move(*times);
  }
  return KvOutcome{options.json ? as_json(report) : as_text(report), !report.failures().empty(), report.disturbed()};
}

}  // namespace mie::bench
