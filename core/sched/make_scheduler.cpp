#include "core/sched/make_scheduler.h"

#include "core/base/ensure.h"
#include "core/sched/fcfs_scheduler.h"
#include "core/sched/static_scheduler.h"

#include <array>
#include <string>
#include <utility>

namespace mie {
namespace {

constexpr std::array<std::pair<std::string_view, SchedulerKind>, 4> kNames{{
    {"serial", SchedulerKind::kSerial},
    {"static", SchedulerKind::kStatic},
    {"continuous", SchedulerKind::kContinuous},
    {"chunked", SchedulerKind::kChunked},
}};
constexpr std::size_t kQuotedCharacters = 64;

}  // namespace

Result<SchedulerKind> parse_scheduler(std::string_view name) {
  for (const auto& [known, kind] : kNames) {
    if (name == known) return kind;
  }
  const std::string quoted = '"' + std::string(name.substr(0, kQuotedCharacters)) + '"';
  return Error{Errc::kConfig, "sched must be serial, static, continuous or chunked, got " + quoted, "sched"};
}

std::string_view name_of(SchedulerKind kind) {
  for (const auto& [name, known] : kNames) {
    if (kind == known) return name;
  }
  ENSURE(false, "no such scheduler");
}

std::unique_ptr<Scheduler> make_scheduler(SchedulerKind kind) {
  using Prefill = FcfsScheduler::Prefill;
  switch (kind) {
    case SchedulerKind::kSerial:
      return std::make_unique<FcfsScheduler>(Prefill::kWhole, /*max_seqs=*/1);
    case SchedulerKind::kStatic:
      return std::make_unique<StaticScheduler>();
    case SchedulerKind::kContinuous:
      return std::make_unique<FcfsScheduler>(Prefill::kWhole);
    case SchedulerKind::kChunked:
      return std::make_unique<FcfsScheduler>(Prefill::kChunked);
  }
  ENSURE(false, "no such scheduler");
}

StepLimits limits_for(SchedulerKind kind, StepLimits limits) {
  if (kind == SchedulerKind::kSerial) limits.max_seqs = 1;
  if (kind != SchedulerKind::kChunked) limits.max_prefill_chunk = limits.max_tokens;
  return limits;
}

}  // namespace mie
