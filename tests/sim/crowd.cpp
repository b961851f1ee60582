#include "tests/sim/crowd.h"

#include "core/engine/admission.h"
#include "tests/engine/requests.h"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace mie::sim {

void Crowd::arrive(const ClientScript& client) {
  ++n_requests_;
  const std::vector<Request> choices = choices_of(client);
  const bool was_draining = stage_.draining;
  const int strand = stage_.strands.add();
  auto streams = stage_.engine.submit(choices, stage_.strands.executor(strand));
  stage_.digest.add(client.number, streams.has_value() ? 0 : 1 + static_cast<int>(streams.error().code));
  if (streams) {
    if (was_draining) stage_.tell("client " + std::to_string(client.number) + " is taken while the engine drains");
    return seat(client, choices, *std::move(streams), strand);
  }
  ++n_refused_;
  if (!may_refuse(streams.error().code, choices.front()))
    stage_.tell("client " + std::to_string(client.number) + " is refused for no reason: " + streams.error().message);
}

std::vector<Request> Crowd::choices_of(const ClientScript& client) const {
  Request request = client.request;
  request.arrival = stage_.clock.now();
  if (client.time_limit) request.deadline = request.arrival + *client.time_limit;
  std::vector<Request> choices(static_cast<std::size_t>(request.n_choices), request);
  for (int i = 0; Request & choice : choices) {
    choice.choice = i;
    if (!request.sampling.greedy()) choice.sampling = test::sampling_of(1, request.sampling.seed() + static_cast<unsigned>(i));
    ++i;
  }
  return choices;
}

bool Crowd::may_refuse(Errc code, const Request& request) const {
  const EngineOptions& options = scenario_.options;
  const EngineHealth health = stage_.engine.health();
  const auto n_prompt = static_cast<std::int64_t>(request.prompt.size());
  switch (code) {
    case Errc::kQueueFull:
      return health.n_waiting + request.n_choices > options.max_queue ||
             health.waiting_tokens + n_prompt * request.n_choices > options.max_queue_tokens;
    case Errc::kDraining:
      return stage_.draining;
    case Errc::kUnhealthy:
      return health.state != EngineHealth::State::kOk;
    case Errc::kContextLengthExceeded:
      return n_prompt + request.max_tokens > longest_request(options);
    default:
      return false;
  }
}

void Crowd::seat(const ClientScript& client, const std::vector<Request>& choices,
                 std::vector<std::shared_ptr<TokenStream>> streams, int strand) {
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto& n_top = choices[i].n_prompt_logprobs;
    RightAnswer right{.tokens = test::expected(scenario_.model, choices[i]), .scores = {}};
    if (n_top) right.scores = FakeRunner::expected_scores(scenario_.model, choices[i].prompt, *n_top);
    const RequestId id = streams[i]->id();
    auto reader = std::make_unique<Reader>(stage_, std::move(streams[i]), client, choices[i], std::move(right), strand);
    net::co_spawn(stage_.strands.executor(strand), reader->run(), [&stage = stage_](std::exception_ptr error) {
      if (error) stage.tell("a reader ends with an exception");
    });
    of_client_[client.number].push_back(reader.get());
    readers_.emplace(id, std::move(reader));
  }
}

bool Crowd::may_be_held(const SequenceRecord& waiting, const EngineSnapshot& before) const {
  const Reader& self = reader(waiting.id);
  if (self.request().choice > 0 && !waiting.preempted) return true;
  const int block_size = scenario_.options.block_size;
  const auto n_computed = [&](RequestId id) {  // blocks, when the turn began; what a newcomer finds is not known
    const auto found = std::ranges::find(before.running, id, &SequenceRecord::id);
    return found == before.running.end() ? 0 : found->n_computed / block_size;
  };
  return std::ranges::any_of(readers_, [&](const auto& entry) {
    const auto& [id, other] = entry;
    const bool there = !other->done() || std::ranges::find(before.running, id, &SequenceRecord::id) != before.running.end();
    return id != waiting.id && there && other->shares_with(self, scenario_.options.prefix_caching) &&
           other->n_common_blocks(self, block_size) > n_computed(id);
  });
}

void Crowd::leave(const ClientScript& client) {
  const auto found = of_client_.find(client.number);
  if (found == of_client_.end()) return;
  for (Reader* reader : found->second) reader->leave();
}

void Crowd::wake_all() {
  for (auto& [id, reader] : readers_) {
    if (!reader->done()) reader->wake();
  }
}

bool Crowd::all_done() const {
  return std::ranges::all_of(readers_, [](const auto& entry) { return entry.second->done(); });
}

int Crowd::n_tokens_left() const {
  int n = 0;
  for (const auto& [id, reader] : readers_) {
    if (!reader->done()) n += static_cast<int>(reader->request().prompt.size()) + reader->request().max_tokens;
  }
  return n;
}

}  // namespace mie::sim
