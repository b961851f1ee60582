// Runs a recording again and says where the answers differ. In real time: an engine with its thread gets the requests when
// they came and lets go of them after as many tokens. In virtual time: the steps are driven one by one, so that each request
// meets the same step as it did, and the plans must be the same, too. The caller owns what a replay refers to.
#pragma once

#include "core/base/clock.h"
#include "core/engine/engine_options.h"
#include "models/model_runner.h"
#include "server/record/record.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace mie {

class Engine;

struct ReplayOutcome {
  int n_requests = 0;  // whose answers were compared
  std::int64_t n_tokens = 0, n_steps = 0;
  int n_different = 0;                 // requests and plans
  std::optional<std::string> first{};  // difference, in one line

  void differ(std::string what) {
    ++n_different;
    if (!first) first = std::move(what);
  }
};

// How a request ended in the recording.
struct RecordedAnswer {
  FinishReason reason{};
  bool cut = false;  // by its connection, its deadline or a failure: it might have gone on
  std::vector<TokenId> tokens;
};
using RecordedAnswers = std::unordered_map<RequestId, RecordedAnswer>;

// Of the requests that ended.
[[nodiscard]] RecordedAnswers answers_of(const Record& record);

// Compares what was answered with what is answered now. `reason`: unset where the replay let go of it.
void compare_answer(RequestId id, const RecordedAnswer& recorded, const std::vector<TokenId>& tokens,
                    std::optional<FinishReason> reason, ReplayOutcome& outcome);

// REQUIRES: the engine has been started and has had no request. Stops it. Takes as long as the recording.
[[nodiscard]] ReplayOutcome replay_in_real_time(const Record& record, Engine& engine, const Clock& clock);

// `options`: of an engine for the recording. `runner`: null: the answers are taken from the recording, and only the plans are
// checked.
[[nodiscard]] ReplayOutcome replay_in_virtual_time(const Record& record, EngineOptions options, const Scheduler& scheduler,
                                                   ModelRunner* runner);

}  // namespace mie
