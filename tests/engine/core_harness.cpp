#include "tests/engine/core_harness.h"

#include "core/base/ensure.h"
#include "tests/fakes/conservation_laws.h"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace mie::test {
namespace {

EngineOptions options_of(const CoreSetup& setup) {
  EngineOptions options;
  options.limits = limits_for(setup.scheduler, setup.limits);
  options.n_blocks = setup.n_blocks;
  options.block_size = setup.block_size;
  options.max_model_len = setup.max_model_len;
  options.n_drafts = setup.n_drafts;
  options.keep_kv = setup.keep_kv;
  options.prefix_caching = setup.prefix_caching;
  options.priority_ageing = setup.priority_ageing;
  options.row_time = setup.row_time;
  options.paranoid = true;
  return options;
}

}  // namespace

CoreHarness::CoreHarness(CoreSetup core_setup)
    : setup(std::move(core_setup)),
      options(options_of(setup)),
      counters(registry, options),
      runner(setup.model, setup.n_blocks, setup.block_size),
      scheduler(make_scheduler(setup.scheduler)),
      core(options, {*scheduler, runner, clock}, counters) {}

RequestId CoreHarness::submit(Request request) {
  const RequestId id(next_id_++);
  request.id = id;
  request.arrival = clock.now();
  const auto n_prompt = static_cast<std::int64_t>(request.prompt.size());
  auto stream = std::make_shared<TokenStream>(id, io.get_executor());
  net::co_spawn(io, read(stream), [](std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
  });
  {
    const auto held = counters.lock();
    counters.accepted(1, n_prompt);
  }
  Mail mail;
  mail.submitted.push_back({std::make_shared<const Request>(std::move(request)), std::move(stream), clock.now()});
  core.take(std::move(mail));
  return id;
}

std::vector<RequestId> CoreHarness::submit_choices(const Request& request, int n) {
  std::vector<RequestId> ids;
  for (int j = 0; j < n; ++j) {
    Request choice = request;
    choice.choice = j;
    choice.n_choices = n;
    ids.push_back(submit(std::move(choice)));
  }
  return ids;
}

void CoreHarness::release(RequestId id, Outcome outcome, int n_delivered) {
  Mail mail;
  mail.released[id] = {.outcome = outcome, .n_delivered = n_delivered, .at = clock.now()};
  core.take(std::move(mail));
}

void CoreHarness::run(int limit) {
  for (int i = 0; i < limit && !core.idle(); ++i) {
    core.reap();
    if (core.idle()) return;
    bool failed = false;
    try {
      core.step();
    } catch (const InvariantError&) {
      throw;
    } catch (const std::exception&) {
      failed = true;
    }
    if (failed) core.end_failed_step();
    core.check_invariants();
  }
}

net::awaitable<void> CoreHarness::read(std::shared_ptr<TokenStream> stream) {
  Answer& answer = answers_[stream->id()];
  while (!answer.finish) {
    TokenBatch batch = co_await stream->next();
    ++answer.n_batches;
    answer.prompt.insert(answer.prompt.end(), batch.prompt.begin(), batch.prompt.end());
    for (const Sampled& sampled : batch.tokens) answer.tokens.push_back(sampled.token);
    answer.finish = std::move(batch.finish);
  }
}

const Answer& CoreHarness::answer(RequestId id) {
  io.restart();
  io.poll();
  return answers_[id];
}

const SequenceRecord* CoreHarness::find(const EngineSnapshot& snapshot, RequestId id) const {
  for (const auto* line : {&snapshot.running, &snapshot.waiting}) {
    const auto found = std::find_if(line->begin(), line->end(), [&](const SequenceRecord& seq) { return seq.id == id; });
    if (found != line->end()) return &*found;
  }
  return nullptr;
}

SeqState CoreHarness::state_of(RequestId id) const {
  const EngineSnapshot snapshot = core.snapshot();
  const SequenceRecord* found = find(snapshot, id);
  return found == nullptr ? SeqState::kFinished : found->state;
}

std::vector<std::string> not_settled(CoreHarness& harness) {
  auto broken = broken_laws(harness.metrics(), LawsOf::kIdle);
  const EngineSnapshot snapshot = harness.core.snapshot();
  for (auto& line : broken_invariants(snapshot)) broken.push_back(std::move(line));
  if (!harness.core.idle()) broken.emplace_back("the engine is not idle");
  if (snapshot.n_unreleased != 0) broken.push_back(std::to_string(snapshot.n_unreleased) + " requests are not released");
  return broken;
}

}  // namespace mie::test
