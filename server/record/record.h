// A recording of an engine's life: what it was made of, everything that was asked of it and in which step it heard of it, and
// what it planned and answered. Values; the reader and the writer are in record_lines.
#pragma once

#include "core/base/clock.h"
#include "core/engine/engine_options.h"
#include "core/finish.h"
#include "core/request.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mie {

struct RecordHeader {
  std::string version{}, commit{};
  std::string model_name{}, fingerprint{};
  int n_vocab = 0;

  // Settings that a replay starts from, as the command line would give them: "sched" → "chunked".
  std::map<std::string, std::string, std::less<>> settings{};

  // What the load found out and the settings leave open.
  int n_blocks = 0, block_size = 0;      // tokens
  std::chrono::nanoseconds row_time{0};  // EngineOptions::row_time
};

// One thing that happened on the engine thread; the order of the events is the order there.
struct RecordEvent {
  enum class Kind { kTaken, kReleased, kEnded, kPlanned, kCommitted, kFailed, kFlushed };

  Kind kind = Kind::kTaken;
  std::int64_t step = 0;                     // the step that was planned last, from 1; 0 before the first
  RequestId id{};                            // kTaken, kReleased, kEnded
  Clock::duration at{};                      // since the start; kTaken, kReleased: when the connection asked for it; kPlanned:
                                             // when the engine looked at deadlines
  std::shared_ptr<const Request> request{};  // kTaken; arrival and deadline are since the start
  Outcome outcome{};                         // kReleased
  int n_delivered = 0;
  FinishReason reason{};          // kEnded
  std::vector<TokenId> tokens{};  // kEnded: what was sampled
  std::uint64_t digest = 0;       // kPlanned
  Clock::duration run{};          // kCommitted: of the model
};

struct Record {
  RecordHeader header;
  std::vector<RecordEvent> events;
};

}  // namespace mie
