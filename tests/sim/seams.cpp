#include "tests/sim/seams.h"

#include "tests/sim/sim_random.h"

#include <algorithm>
#include <new>
#include <utility>

namespace mie::sim {
namespace {

constexpr int kPlantedEvery = 7;              // plans and steps
constexpr std::uint64_t kSqueezes = 1 << 30;  // streams of the seed

FakeOptions on_virtual_time(FakeOptions model, ManualClock& clock) {
  model.spend = [&clock](std::chrono::nanoseconds time) { clock.advance(time); };
  return model;
}

}  // namespace

StepPlan WatchedScheduler::plan(std::span<const SeqView> seqs, KvBudget budget, StepLimits limits, StepPlan memory) const {
  ++n_plans_;
  if (squeezes_ && !stage_->calm) {
    SimRandom random(stage_->seed, kSqueezes + static_cast<std::uint64_t>(n_plans_));
    if (random.chance(50)) limits.max_tokens = random.between(1, limits.max_tokens);
  }
  std::vector<SeqView> wrong;
  if (stage_->planted == PlantedBug::kOvertaking && n_plans_ % kPlantedEvery == 0) wrong = turned_around(seqs);
  StepPlan made = real_->plan(wrong.empty() ? seqs : wrong, budget, limits, std::move(memory));
  for (const RequestId id : made.evict) stage_->digest.add(1, id.value());
  for (const RequestId id : made.reject) stage_->digest.add(2, id.value());
  for (const RequestId id : made.late) {
    stage_->digest.add(4, id.value());
    stage_->given_up.insert(id);
  }
  for (const Scheduled& row : made.run)
    stage_->digest.add(3, row.id.value(), row.first_position, row.n_tokens, row.n_new_blocks, row.n_drafts);
  return made;
}

std::vector<SeqView> WatchedScheduler::turned_around(std::span<const SeqView> seqs) const {
  std::vector<SeqView> wrong(seqs.begin(), seqs.end());
  const auto waiting = std::find_if(wrong.begin(), wrong.end(), [](const SeqView& seq) { return !seq.running; });
  std::reverse(waiting, wrong.end());
  return wrong;
}

FailingRunner::FailingRunner(FakeOptions model, const EngineOptions& options, ManualClock& clock, PlantedBug planted)
    : clock_(clock),
      model_(on_virtual_time(std::move(model), clock), options.n_blocks, options.block_size),
      planted_(planted) {}

void FailingRunner::run(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) {
  ++n_steps_;
  const auto fault = std::exchange(armed_, {});
  if (fault) struck_ = fault->kind;
  if (fault && fault->kind == Fault::Kind::kSlowStep) clock_.advance(fault->size * std::chrono::milliseconds(100));
  if (meanwhile) meanwhile();
  if (fault && fault->kind != Fault::Kind::kNonFinite) strike(fault->kind);
  if (planted_ == PlantedBug::kSwappedBlocks && n_steps_ % kPlantedEvery == 0) {
    model_.run(swapped(batch), rows, sampled);
  } else {
    model_.run(batch, rows, sampled);
  }
  if (fault) strike(fault->kind);
}

void FailingRunner::strike(Fault::Kind kind) const {
  switch (kind) {
    case Fault::Kind::kModelStep:
    case Fault::Kind::kNonFinite:
      throw ModelStepError("a step that fails");
    case Fault::Kind::kBadAlloc:
      throw std::bad_alloc();
    case Fault::Kind::kDevice:
      throw DeviceFailure("a lost device");
    default:
      return;
  }
}

// The first two blocks of the first sequence that has as many.
StepBatch FailingRunner::swapped(const StepBatch& batch) const {
  StepBatch wrong = batch;
  const auto width = static_cast<std::size_t>(batch.max_blocks);
  for (std::size_t seq = 0; width >= 2 && seq < static_cast<std::size_t>(batch.n_seqs()); ++seq) {
    if (wrong.block_tables[seq * width + 1] < 0) continue;
    std::swap(wrong.block_tables[seq * width], wrong.block_tables[seq * width + 1]);
    break;
  }
  return wrong;
}

}  // namespace mie::sim
