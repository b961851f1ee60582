#include "tests/sim/world.h"

#include "core/base/ensure.h"
#include "core/engine/engine_loop.h"
#include "tests/fakes/conservation_laws.h"
#include "tests/fakes/failing_new.h"
#include "tests/sim/crowd.h"
#include "tests/sim/ending.h"
#include "tests/sim/seams.h"
#include "tests/sim/timetable.h"
#include "tests/sim/turn_check.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <utility>

namespace mie::sim {
namespace {

constexpr std::uint64_t kTurns = 3;  // stream of the seed
constexpr int kScrapePercent = 1;    // of the turns; reading the metrics costs as much as many turns

// `looked_at`: when the engine looked at deadlines and mail in this turn, if it did.
class View final : public WorldView {
 public:
  View(const Crowd& crowd, int turn, std::optional<Clock::time_point> looked_at)
      : crowd_(crowd), turn_(turn), looked_at_(looked_at) {}

  [[nodiscard]] Claim claim_of(RequestId id) const override {
    const Reader& reader = crowd_.reader(id);
    const auto& deadline = reader.request().deadline;
    const bool late = looked_at_ && ((deadline && *deadline <= *looked_at_) || reader.released_by(turn_));
    return {.rank = reader.rank(), .should_be_gone = late};
  }
  [[nodiscard]] bool may_be_held(const SequenceRecord& waiting, const EngineSnapshot& before) const override {
    return crowd_.may_be_held(waiting, before);
  }

 private:
  const Crowd& crowd_;
  int turn_;
  std::optional<Clock::time_point> looked_at_;
};

class World {
 public:
  World(const Scenario& scenario, PlantedBug planted);

  Course live();

 private:
  EngineOptions options();
  void safety();
  void liveness();
  void turn();
  EngineLoop::Turn move_engine();
  void happen(Event event);
  void strike(const Fault& fault);
  void let_others_run(int n);
  void check_turn(EngineLoop::Turn result);
  void check_fate(EngineLoop::Turn result);
  void expect_invariants();
  [[nodiscard]] bool ended() const { return !stage_.broken.empty() || lost_; }

  const Scenario& scenario_;
  ManualClock clock_;
  MetricsRegistry registry_;
  std::optional<std::string> fatal_;  // what on_fatal was told
  WatchedScheduler scheduler_;
  FailingRunner runner_;
  Strands strands_;
  Engine engine_;
  Stage stage_;
  Crowd crowd_;
  Timetable timetable_;
  SimRandom random_;  // of the turn
  EngineSnapshot before_;
  Clock::time_point turn_began_;
  std::optional<int> memory_;  // allocations of the next turn before one fails
  bool starved_ = false;       // an allocation of this turn has failed
  bool was_starved_ = false;   // … of the turn before
  bool lost_ = false;          // the state of the engine was lost for want of memory: nothing is promised any more
  Figures figures_;
};

World::World(const Scenario& scenario, PlantedBug planted)
    : scenario_(scenario),
      scheduler_(scenario),
      runner_(scenario.model, scenario.options, clock_, planted),
      engine_(options(), scheduler_, runner_, clock_, registry_),
      stage_{.seed = scenario.seed, .engine = engine_, .strands = strands_, .clock = clock_, .planted = planted},
      crowd_(scenario, stage_),
      timetable_(scenario),
      random_(scenario.seed, kTurns) {
  scheduler_.watch(stage_);
  runner_.meanwhile = [this] {
    if (memory_) return;  // they would have memory
    while (const auto event = timetable_.next(stage_.turn, Event::During::kStep)) happen(*event);
    let_others_run(random_.between(0, 8));
  };
  before_ = engine_.loop().core().snapshot();
}

EngineOptions World::options() {
  EngineOptions options = scenario_.options;
  options.on_fatal = [this](const std::string& reason) { fatal_ = reason; };
  return options;
}

Course World::live() {
  safety();
  if (!ended()) liveness();
  const MetricsText metrics(registry_.scrape());
  if (!ended()) check_ending(stage_, metrics, crowd_);
  figures_ += figures_of(metrics, crowd_);
  figures_.n_turns = stage_.turn;
  figures_.n_steps = runner_.n_steps();
  figures_.n_given_up = std::ssize(stage_.given_up);
  crowd_.wake_all();
  SimRandom any(scenario_.seed, kTurns);
  stage_.calm = true;
  while (strands_.run_one(any, std::numeric_limits<int>::max())) {
  }
  stage_.digest.add(clock_.now().time_since_epoch().count());
  return {.digest = stage_.digest.value(), .broken = stage_.broken, .last_turn = stage_.turn, .figures = figures_};
}

void World::safety() {
  while (!ended() && !timetable_.over()) {
    turn();
    if (!engine_.loop().core().idle() || before_.n_unreleased > 0) continue;
    stage_.turn = std::max(stage_.turn, timetable_.next_turn().value_or(stage_.turn) - 1);  // nothing happens until then
  }
}

// The oldest request gets on in every step. Where whole prompts hold up decodes, between two such steps there is at most one
// for each seat. Where no K,V are kept, each token takes as many steps as there are before it, at most.
void World::liveness() {
  stage_.calm = true;
  runner_.disarm();
  memory_.reset();
  int factor = scenario_.scheduler == SchedulerKind::kContinuous ? 1 + scenario_.options.limits.max_seqs : 1;
  if (!scenario_.options.keep_kv) factor *= scenario_.options.max_model_len;
  const int bound = stage_.turn + 8 + factor * crowd_.n_tokens_left();
  const auto all_gone = [this] { return engine_.loop().core().idle() && before_.n_unreleased == 0 && crowd_.all_done(); };
  while (!ended() && !all_gone()) {
    let_others_run(std::numeric_limits<int>::max());
    turn();
    if (stage_.turn > bound) return stage_.tell("something has not ended within its bound of turns");
  }
}

void World::turn() {
  stage_.mail_turn = ++stage_.turn;
  random_ = SimRandom(scenario_.seed, (kTurns << 32U) + static_cast<std::uint64_t>(stage_.turn));
  while (const auto event = timetable_.next(stage_.turn, Event::During::kPause)) happen(*event);
  let_others_run(random_.between(0, 12));
  turn_began_ = clock_.now();
  stage_.mail_turn = stage_.turn + 1;
  const EngineLoop::Turn result = move_engine();
  if (ended()) return;
  check_fate(result);
  if (!ended()) check_turn(result);
  while (const auto event = timetable_.next(stage_.turn, Event::During::kStep)) happen(*event);
  stage_.digest.add(static_cast<int>(result));
  if (result == EngineLoop::Turn::kIdle) clock_.advance(std::chrono::milliseconds(1));
}

// Want of memory may end the engine's state, or its loop where the exception gets out; anything else may not get out.
EngineLoop::Turn World::move_engine() {
  was_starved_ = std::exchange(starved_, false);
  if (!memory_) return engine_.loop().turn();
  EngineLoop::Turn result = EngineLoop::Turn::kStuck;
  try {
    const test::OneFailure failing(*memory_);
    result = engine_.loop().turn();
    starved_ = failing.struck();
  } catch (const std::bad_alloc&) {
    stage_.tell("want of memory gets out of the engine's turn");
  }
  memory_.reset();
  figures_.n_faults[static_cast<std::size_t>(Fault::Kind::kNoMemory)] += starved_ ? 1 : 0;
  return result;
}

void World::happen(Event event) {
  stage_.digest.add(static_cast<int>(event.kind), event.index);
  const auto index = static_cast<std::size_t>(event.index);
  switch (event.kind) {
    case Event::Kind::kArrival:
      return crowd_.arrive(scenario_.clients[index]);
    case Event::Kind::kLeave:
      return crowd_.leave(scenario_.clients[index]);
    case Event::Kind::kFault:
      return strike(scenario_.faults[index]);
    case Event::Kind::kDrain:
      stage_.draining = true;
      return engine_.begin_drain();
    case Event::Kind::kDrainEnd:
      stage_.drain_expired = true;
      return engine_.loop().expire_drain();
  }
}

void World::strike(const Fault& fault) {
  switch (fault.kind) {
    case Fault::Kind::kFlush:
      ++figures_.n_faults[static_cast<std::size_t>(fault.kind)];
      engine_.loop().core().flush_prefixes();
      before_ = engine_.loop().core().snapshot();
      return;
    case Fault::Kind::kNoMemory:
      memory_ = fault.size;
      return;
    default:
      return runner_.arm(fault);
  }
}

void World::let_others_run(int n) {
  while (n-- > 0 && strands_.run_one(random_, stage_.calm ? std::numeric_limits<int>::max() : stage_.turn)) {
  }
}

// Only what was done to the engine may end it or hold it up.
void World::check_fate(EngineLoop::Turn result) {
  using Kind = Fault::Kind;
  const EngineCore& core = engine_.loop().core();
  const auto struck = runner_.struck();
  if (struck) ++figures_.n_faults[static_cast<std::size_t>(*struck)];
  if (struck == Kind::kModelStep || struck == Kind::kNonFinite || struck == Kind::kBadAlloc || starved_)
    ++stage_.n_failed_steps;
  if (struck == Kind::kDevice) stage_.may_be_lost = true;
  lost_ = starved_ && core.torn();
  if (lost_) return;
  if (engine_.health().state == EngineHealth::State::kFailed && !stage_.may_be_lost) {
    engine_.loop().turn();
    return stage_.tell("the engine has failed: " + fatal_.value_or("nobody was told"));
  }
  const bool may_stand = stage_.may_be_lost || was_starved_;
  if (result == EngineLoop::Turn::kStuck && !may_stand) stage_.tell("there is work and nothing is planned");
  if (struck || starved_ || result != EngineLoop::Turn::kStepped) expect_invariants();
}

void World::expect_invariants() {
  try {
    engine_.loop().core().check_invariants();
  } catch (const InvariantError& error) {
    stage_.tell(error.what());
  }
}

void World::check_turn(EngineLoop::Turn result) {
  EngineSnapshot after = engine_.loop().core().snapshot();
  const bool looked = result != EngineLoop::Turn::kStuck && !starved_;  // at its mail and at deadlines
  const View view(crowd_, stage_.turn, looked ? std::optional(turn_began_) : std::nullopt);
  for (std::string& line : broken_by_turn(before_, after, view)) stage_.tell(std::move(line));
  if (random_.chance(kScrapePercent)) {
    for (const std::string& line : broken_laws(MetricsText(registry_.scrape()), LawsOf::kAnyTime)) stage_.tell(line);
  }
  before_ = std::move(after);
}

}  // namespace

Figures& Figures::operator+=(const Figures& other) {
  for (const auto member : {&Figures::n_requests, &Figures::n_choices, &Figures::n_refused, &Figures::n_turns,
                            &Figures::n_steps, &Figures::n_tokens, &Figures::n_preemptions, &Figures::n_cached_tokens,
                            &Figures::n_prefixes_evicted, &Figures::n_drafts_accepted, &Figures::n_given_up})
    this->*member += other.*member;
  std::ranges::transform(n_faults, other.n_faults, n_faults.begin(), std::plus<>());
  return *this;
}

Course live(const Scenario& scenario, PlantedBug planted) { return World(scenario, planted).live(); }

}  // namespace mie::sim
