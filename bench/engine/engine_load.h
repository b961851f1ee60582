// One load on an engine in this process: requests are submitted at their instants and read from their streams, with a stamp for
// each batch that a stream gives. It keeps the same order, limits, timeouts and cancels as the client over HTTP; what there is
// of connections and bytes it has not. Owned by a run; its thread, but for stop() and progress().
#pragma once

#include "bench/engine/engine_pace.h"
#include "bench/engine/engine_requests.h"
#include "bench/load/answer_parse.h"
#include "bench/load/load.h"
#include "bench/load/send_schedule.h"
#include "bench/load/timers.h"
#include "core/engine/engine.h"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mie::bench {

// All outlive the load.
struct EngineLoadParts {
  Engine& engine;
  EngineRequests& requests;
  const Clock& clock;  // the engine's
  net::io_context& io;
  EnginePace& pace;
};

// When requests are made into what the engine is asked: all before the clock starts, or each when it is due, which costs less
// memory and, where time is virtual, no time.
enum class MakeRequests : std::uint8_t { kBefore, kWhenDue };

class EngineLoad final : public Load, private SendClient {
 public:
  // `requests` outlive it.
  EngineLoad(const EngineLoadParts& parts, LoadSettings settings, std::span<const PlannedRequest> requests, MakeRequests when);

  void drive() override;
  void stop() override;
  [[nodiscard]] const LoadProgress& progress() const override { return schedule_.progress(); }
  [[nodiscard]] LoadResult result() const override;

 private:
  // What a request's stream said.
  struct Answer {
    std::vector<TokenEvent> events{};
    std::vector<TokenId> tokens{};
    std::optional<Finish> finish{};
    std::optional<Error> refused{};
    RequestId id{};
    int n_prompt = 0;
  };
  enum class Alarm : std::uint8_t { kTimeout, kCancel };
  struct Timed {
    Alarm alarm{};
    int request = 0;
  };

  [[nodiscard]] Exchange& of(int request) { return schedule_.of(request); }
  [[nodiscard]] Answer& answer_of(int request) { return answers_[static_cast<std::size_t>(request)]; }
  [[nodiscard]] const PlannedRequest& planned(int request) const { return requests_[static_cast<std::size_t>(request)]; }

  [[nodiscard]] std::int64_t now_ns() const override { return parts_.pace.now_ns(); }
  [[nodiscard]] bool has_room() override { return true; }
  void start(int request) override;
  void cut_off() override;

  std::int64_t fire();
  void submit(int request, EngineRequest asked);
  static net::awaitable<void> read(EngineLoad* self, int request, std::shared_ptr<TokenStream> stream);
  void take(int request, TokenBatch batch);
  void let_go(int request, Ending ending);
  void end(int request, Ending ending, std::int64_t at_ns);
  [[nodiscard]] AnswerVerdict verdict_of(std::size_t request) const;
  [[nodiscard]] RequestRecord record_of(std::size_t request) const;

  EngineLoadParts parts_;
  LoadSettings settings_;
  std::span<const PlannedRequest> requests_;
  std::vector<std::optional<Result<EngineRequest>>> made_;  // before the clock; empty: when due
  SendSchedule schedule_;
  std::vector<Answer> answers_;
  Timers<Timed> alarms_;
  int n_reading_ = 0;  // streams whose last batch has not come
  std::int64_t ended_ns_ = 0;
  ClientUse use_{};
};

}  // namespace mie::bench
