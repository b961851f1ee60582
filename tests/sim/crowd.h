// The clients of a simulated world: they ask, are taken or refused for a reason, read and go. Owned by the world.
#pragma once

#include "core/engine/snapshot.h"
#include "tests/sim/reader.h"
#include "tests/sim/scenario.h"
#include "tests/sim/stage.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace mie::sim {

class Crowd {
 public:
  Crowd(const Scenario& scenario, Stage& stage) : scenario_(scenario), stage_(stage) {}

  void arrive(const ClientScript& client);
  void leave(const ClientScript& client);  // nothing if it was refused

  // Readers that still wait get an end, so that no coroutine outlives the world.
  void wake_all();

  [[nodiscard]] bool all_done() const;
  [[nodiscard]] int n_tokens_left() const;  // that unfinished requests may still hold, at most
  // Another choice of its prompt comes first, or a request that was there in this turn computes a block that it wants next.
  [[nodiscard]] bool may_be_held(const SequenceRecord& waiting, const EngineSnapshot& before) const;
  [[nodiscard]] const Reader& reader(RequestId id) const { return *readers_.at(id); }
  [[nodiscard]] const std::map<RequestId, std::unique_ptr<Reader>>& readers() const { return readers_; }
  [[nodiscard]] int n_requests() const { return n_requests_; }
  [[nodiscard]] int n_refused() const { return n_refused_; }

 private:
  [[nodiscard]] std::vector<Request> choices_of(const ClientScript& client) const;
  [[nodiscard]] bool may_refuse(Errc code, const Request& request) const;
  void seat(const ClientScript& client, const std::vector<Request>& choices, std::vector<std::shared_ptr<TokenStream>> streams,
            int strand);

  const Scenario& scenario_;
  Stage& stage_;
  std::map<RequestId, std::unique_ptr<Reader>> readers_;
  std::map<int, std::vector<Reader*>> of_client_;  // by its number
  int n_requests_ = 0, n_refused_ = 0;
};

}  // namespace mie::sim
