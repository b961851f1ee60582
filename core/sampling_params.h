// Sampling parameters of one request, valid by construction: every range check of the API on them lives in from().
// Value; immutable; any thread.
#pragma once

#include "core/base/error.h"
#include "core/base/id.h"
#include "models/model_runner.h"

#include <cstdint>
#include <vector>

namespace mie {

class SamplingParams {
 public:
  // What the client sent, in its own units, before any check.
  struct Raw {
    double temperature = 1;
    double top_p = 1;
    std::int64_t top_k = 0;
    double min_p = 0;
    double presence_penalty = 0;
    double frequency_penalty = 0;
    double repetition_penalty = 1;
    std::vector<LogitBias> logit_bias;
    std::uint64_t seed = 0;            // the caller has drawn one where the client gave none
    std::int32_t n_top_logprobs = -1;  // -1: no logprobs
  };

  SamplingParams() = default;  // the defaults of Raw, seed 0

  // Error: kInvalidValue with param = the field's API name and the message of interface "must be {range}, got {value}".
  // `max_logprobs` is the server's limit.
  static Result<SamplingParams> from(const Raw& raw, int n_vocab, int max_logprobs = 20);

  // A row without position, history and banned ids, which the engine fills in at each step. Its logit_bias views this.
  [[nodiscard]] SamplingRow row() const;

  [[nodiscard]] bool greedy() const { return temperature_ == 0; }
  [[nodiscard]] int n_top_logprobs() const { return n_top_logprobs_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

 private:
  float temperature_ = 1, top_p_ = 1, min_p_ = 0;
  float presence_penalty_ = 0, frequency_penalty_ = 0, repetition_penalty_ = 1;
  std::int32_t top_k_ = 0;
  std::int32_t n_top_logprobs_ = -1;
  std::uint64_t seed_ = 0;
  std::vector<LogitBias> logit_bias_;
};

}  // namespace mie
