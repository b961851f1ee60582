// From the bytes of a request to what the engine is asked: parse, check, template, tokenize, length. Everything that a
// client can get wrong before the queue is found here. Pure but for the clock and the seeds it is given; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/request.h"
#include "server/api/generation_params.h"
#include "server/api/served_model.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace mie::api {

// Seeds for choices whose client gave none. Thread-safe.
class SeedSource {
 public:
  SeedSource() = default;                                                 // from the kernel's random source
  explicit SeedSource(std::uint64_t base) : base_(base), fixed_(true) {}  // the same sequence at each start
  std::uint64_t next();                                                   // below 2^63

 private:
  std::uint64_t base_ = 0;
  bool fixed_ = false;
  std::atomic<std::uint64_t> n_drawn_{0};
};

struct PrepareContext {
  const ServedModel& model;
  const ParamLimits& limits;
  const Clock& clock;
  SeedSource& seeds;
};

struct PreparedChoice {
  Request request;  // arrival and deadline are the caller's to set
  TextOptions text;
  int n_echo_logprobs = -1;                                 // best ones with each token of the echo; -1: it has none
  int n_prompt_logprobs = -1;                               // the same for prompt_logprobs
  std::vector<std::pair<TokenId, std::string>> stop_texts;  // control tokens whose text is a stop string
  std::vector<TokenId> eos_ids;                             // of stop_ids, those that are no stop_reason
  bool until_context = false;                               // max_tokens is what the context leaves
};

struct PreparedGeneration {
  GenerationKind kind = GenerationKind::kChat;
  GenerationParams params;
  std::string model;  // the served name in use
  std::vector<PreparedChoice> choices;
  std::optional<Clock::time_point> deadline;  // the caller's to set, as in each request
  Clock::time_point parsed, tokenized;
};

Result<PreparedGeneration> prepare_generation(GenerationKind kind, std::string body, const PrepareContext& context);

}  // namespace mie::api
