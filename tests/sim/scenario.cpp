#include "tests/sim/scenario.h"

#include "tests/engine/requests.h"
#include "tests/sim/sim_random.h"

#include <algorithm>
#include <string>
#include <utility>

namespace mie::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::pair<std::string_view, Profile>, kProfiles> kNames{{
    {"mixed", Profile::kMixed},
    {"overload", Profile::kOverload},
    {"cancel-heavy", Profile::kCancelHeavy},
    {"prefix-heavy", Profile::kPrefixHeavy},
    {"tiny-pool", Profile::kTinyPool},
    {"drain", Profile::kDrain},
    {"faults", Profile::kFaults},
}};

// Streams of a seed; clients and faults count on from theirs.
constexpr std::uint64_t kEngine = 1, kLine = 2, kFirstClient = 1000, kFirstFault = 2'000'000;
constexpr TokenId kEos{1};

// What sets a profile apart, in percent of its clients unless it says otherwise.
struct Habits {
  int n_clients_least = 45, n_clients_most = 75;
  int n_slots_least = 70, n_slots_most = 400;  // tokens of the pool
  int longest_prompt = 40, longest_output = 30;
  int longest_gap = 6;  // turns between two arrivals
  int leave = 8, enough = 6, time_limit = 8, slow = 10, choices = 12, stem = 40, salt = 10;
  int n_faults = 2;  // at most
  bool rough = false;
};

Habits habits_of(Profile profile) {
  switch (profile) {
    case Profile::kMixed:
      return {};
    case Profile::kOverload:
      return {.longest_gap = 3, .time_limit = 20, .n_faults = 1};
    case Profile::kCancelHeavy:
      return {.leave = 60, .enough = 20, .slow = 20};
    case Profile::kPrefixHeavy:
      return {.n_slots_least = 200,
              .n_slots_most = 900,
              .longest_prompt = 60,
              .choices = 25,
              .stem = 95,
              .salt = 15,
              .n_faults = 6};
    case Profile::kTinyPool:
      return {.n_slots_least = 48, .n_slots_most = 120, .longest_prompt = 16, .longest_output = 60, .longest_gap = 3};
    case Profile::kDrain:
      return {.longest_gap = 4, .slow = 20};
    case Profile::kFaults:
      return {.n_faults = 14, .rough = true};
  }
  return {};
}

void draw_engine(Scenario& s, Profile profile) {
  SimRandom random(s.seed, kEngine);
  constexpr std::array kKinds{SchedulerKind::kChunked,    SchedulerKind::kChunked, SchedulerKind::kChunked,
                              SchedulerKind::kContinuous, SchedulerKind::kStatic,  SchedulerKind::kSerial};
  s.scheduler = kKinds.at(static_cast<std::size_t>(random.between(0, static_cast<int>(kKinds.size()) - 1)));
  EngineOptions& o = s.options;
  constexpr std::array kBlockSizes{1, 2, 4, 4, 4, 8, 16};
  o.block_size = kBlockSizes.at(static_cast<std::size_t>(random.between(0, static_cast<int>(kBlockSizes.size()) - 1)));
  const Habits habits = habits_of(profile);
  o.n_blocks = random.between(habits.n_slots_least, habits.n_slots_most) / o.block_size;
  o.max_model_len = random.chance(20) ? random.between(40, 90) : 200;
  const int max_seqs = random.between(1, 10);
  o.limits = limits_for(
      s.scheduler,
      {.max_seqs = max_seqs, .max_tokens = max_seqs + random.between(4, 40), .max_prefill_chunk = random.between(2, 12)});
  o.n_drafts = random.chance(30) ? random.between(1, 6) : 0;
  if (o.n_drafts > 0) o.limits.draft_rows = random.between(2, 16);
  if (random.chance(25)) o.priority_ageing = std::chrono::milliseconds(random.between(1, 30));
  o.prefix_caching = random.chance(80);
  o.keep_kv = o.prefix_caching || random.chance(80);
  o.prefix_secret = random.next();
  if (profile == Profile::kOverload) {
    o.max_queue = random.between(5, 40);
    o.max_queue_tokens = random.between(100, 1000);
  }
  s.squeezes = random.chance(20);
  o.step_time = random.chance(30) ? std::chrono::milliseconds(random.between(1, 4)) : 0ms;
  if (random.chance(40)) o.row_time = 50us;  // deadlines are known to the scheduler from the start
  o.step_limit = 1s;
  o.paranoid = true;
  o.step_ring = 16;
  // Few words make repetition, hence drafts that are accepted and blocks that are equal by chance.
  s.model.n_vocab = o.n_drafts > 0 ? random.between(3, 8) : 1000;
  s.model.eos = kEos;
  s.model.eos_per_mille = random.between(0, 40);
  s.model.step_time = 1ms;
  s.model.token_time = 50us;
  s.model.context_time = 100ns;
}

std::vector<TokenId> words(std::uint64_t seed, std::uint64_t part, int n, int n_vocab) {
  SimRandom random(seed, part);
  std::vector<TokenId> tokens;
  for (int i = 0; i < n; ++i) tokens.emplace_back(random.between(0, n_vocab - 1));
  return tokens;
}

Request draw_request(const Scenario& s, const Habits& habits, int number, SimRandom& random) {
  const int longest = static_cast<int>(
      std::min<std::int64_t>(s.options.max_model_len, std::int64_t{s.options.n_blocks} * s.options.block_size));
  Request request;
  const bool long_prompt = random.chance(10);
  const int n_prompt = random.between(1, std::max(1, std::min(long_prompt ? 150 : habits.longest_prompt, longest - 2)));
  if (random.chance(habits.stem)) {  // a shared beginning, cut anywhere
    request.prompt = words(s.seed, 10 + static_cast<std::uint64_t>(random.between(0, 2)), n_prompt, s.model.n_vocab);
    request.prompt.resize(static_cast<std::size_t>(random.between(1, n_prompt)));
  }
  const auto n_own = n_prompt - static_cast<int>(request.prompt.size());
  for (const TokenId token : words(s.seed, 50'000 + static_cast<std::uint64_t>(number), n_own, s.model.n_vocab))
    request.prompt.push_back(token);
  const bool too_long = random.chance(1);
  request.max_tokens = random.between(1, std::min(habits.longest_output, longest - n_prompt)) + (too_long ? longest : 0);
  if (random.chance(50)) request.stop_ids = {kEos};
  if (random.chance(10)) request.min_tokens = random.between(0, request.max_tokens);
  request.sampling = random.chance(30) ? test::sampling_of(1, random.next() >> 2U) : test::sampling_of(0);
  if (random.chance(8)) request.n_prompt_logprobs = random.between(0, 2);
  if (request.wants_prompt_logits() && random.chance(30)) request.max_tokens = request.min_tokens = 0;
  if (random.chance(habits.choices)) request.n_choices = random.between(2, 5);
  if (random.chance(25)) request.priority = random.between(-3, 3);
  if (random.chance(habits.salt)) request.cache_salt = random.chance(50) ? "a" : "b";
  return request;
}

ClientScript draw_client(const Scenario& s, const Habits& habits, int number, int arrives) {
  SimRandom random(s.seed, kFirstClient + static_cast<std::uint64_t>(number));
  ClientScript client{.number = number,
                      .arrives = arrives,
                      .arrives_in_step = random.chance(50),
                      .request = draw_request(s, habits, number, random)};
  if (random.chance(habits.time_limit)) client.time_limit = std::chrono::milliseconds(random.between(1, 150));
  if (random.chance(habits.leave)) client.leaves = arrives + random.between(0, 60);
  client.leaves_in_step = random.chance(50);
  if (random.chance(habits.enough)) client.enough = random.between(1, 12);
  if (random.chance(habits.slow)) {
    client.pause_percent = random.between(10, 100);
    client.longest_pause = random.between(2, 40);
  }
  return client;
}

Fault::Kind draw_kind(const Habits& habits, SimRandom& random) {
  using Kind = Fault::Kind;
  if (!habits.rough) return random.chance(60) ? Kind::kFlush : Kind::kSlowStep;
  const int n = random.between(1, 100);
  if (n <= 22) return Kind::kModelStep;
  if (n <= 40) return Kind::kNonFinite;
  if (n <= 55) return Kind::kBadAlloc;
  if (n <= 70) return Kind::kSlowStep;
  if (n <= 80) return Kind::kFlush;
  return n <= 98 ? Kind::kNoMemory : Kind::kDevice;
}

void draw_faults(Scenario& s, const Habits& habits, int last_arrival) {
  const int n = SimRandom(s.seed, kFirstFault - 1).between(0, habits.n_faults);
  for (int i = 0; i < n; ++i) {
    SimRandom random(s.seed, kFirstFault + static_cast<std::uint64_t>(i));
    Fault fault{.number = i, .turn = random.between(0, last_arrival + 20), .kind = draw_kind(habits, random)};
    fault.size = fault.kind == Fault::Kind::kNoMemory ? random.between(0, 60) : random.between(1, 40);
    s.faults.push_back(fault);
  }
}

}  // namespace

Result<Profile> parse_profile(std::string_view name) {
  for (const auto& [known, profile] : kNames) {
    if (name == known) return profile;
  }
  return Error{Errc::kConfig, "no such profile: " + std::string(name.substr(0, 64)), "profile"};
}

std::string_view name_of(Profile profile) { return kNames.at(static_cast<std::size_t>(profile)).first; }

int Scenario::last_turn() const {
  int last = std::max(drains.value_or(0), drain_ends.value_or(0));
  for (const ClientScript& client : clients) last = std::max({last, client.arrives, client.leaves.value_or(0)});
  for (const Fault& fault : faults) last = std::max(last, fault.turn);
  return last;
}

Scenario draw_scenario(std::uint64_t seed, Profile profile) {
  Scenario s;
  s.seed = seed;
  draw_engine(s, profile);
  const Habits habits = habits_of(profile);
  SimRandom line(seed, kLine);
  int arrives = 0;
  for (int i = 0, n = line.between(habits.n_clients_least, habits.n_clients_most); i < n; ++i) {
    s.clients.push_back(draw_client(s, habits, i, arrives));
    if (!line.chance(40)) arrives += line.between(0, habits.longest_gap);
  }
  draw_faults(s, habits, arrives);
  if (profile == Profile::kDrain) {
    s.drains = line.between(arrives / 2, arrives);
    if (line.chance(60)) s.drain_ends = *s.drains + line.between(0, 60);
  }
  return s;
}

}  // namespace mie::sim
