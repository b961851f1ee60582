// One stream and the coroutine that reads it, as a connection does: what comes must be what the model alone would say, and it
// must end once, for a reason that exists. Owned by the world, which outlives the coroutine.
#pragma once

#include "core/engine/token_stream.h"
#include "tests/sim/scenario.h"
#include "tests/sim/sim_random.h"
#include "tests/sim/stage.h"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mie::sim {

// What the model alone would say.
struct RightAnswer {
  std::vector<TokenId> tokens;
  std::vector<Sampled> scores;  // of the prompt from its second token on, where they are wanted
};

class Reader {
 public:
  // `request` as it was submitted, now.
  Reader(Stage& stage, std::shared_ptr<TokenStream> stream, const ClientScript& client, const Request& request,
         RightAnswer right, int strand);

  // Spawned once, on the strand.
  net::awaitable<void> run();

  // The client hangs up, or asks by another connection that the request be ended. The coroutine goes on.
  void leave();

  // It still waits when the world ends: gives it an end that no engine gave.
  void wake();

  [[nodiscard]] RequestId id() const { return stream_->id(); }
  [[nodiscard]] const Request& request() const { return request_; }
  [[nodiscard]] bool shares_with(const Reader& other, bool caching) const {
    return caching ? request_.cache_salt == other.request_.cache_salt : &client_ == &other.client_;
  }
  // Full blocks at the front of both, with all that they will ever say, that are the same.
  [[nodiscard]] int n_common_blocks(const Reader& other, int block_size) const;

  [[nodiscard]] bool done() const { return done_; }  // the coroutine has returned
  [[nodiscard]] bool released() const { return released_in_.has_value(); }
  // In the order of service: when it came, where a unit of priority counts as so much time.
  [[nodiscard]] Clock::time_point rank() const { return rank_; }

  // The mail of that turn, or of one before it, had the release.
  [[nodiscard]] bool released_by(int turn) const { return released_in_ && *released_in_ <= turn; }
  [[nodiscard]] int n_delivered() const { return n_delivered_; }
  [[nodiscard]] int n_read() const { return n_read_; }
  [[nodiscard]] const std::optional<Finish>& finish() const { return finish_; }

 private:
  [[nodiscard]] std::optional<TokenId> token(std::size_t place) const;  // of the prompt and the whole right answer
  void take(TokenBatch batch);
  void take_token(TokenId token);
  void take_score(const Sampled& score);
  void judge_end();
  [[nodiscard]] std::string wrong_end() const;
  [[nodiscard]] std::string wrong_deadline() const;
  [[nodiscard]] std::string wrong_cancel() const;
  [[nodiscard]] bool stamps_ascend() const;
  void release(Outcome outcome, int n_delivered);
  void pause();
  void tell(const std::string& what);

  Stage& stage_;
  std::shared_ptr<TokenStream> stream_;
  const ClientScript& client_;
  Request request_;
  Clock::time_point rank_;
  RightAnswer right_;
  int strand_;
  SimRandom random_;
  int n_batches_ = 0, n_scores_ = 0, n_read_ = 0, n_delivered_ = 0;
  std::optional<Finish> finish_;
  std::optional<int> released_in_;  // mail turn
  bool woken_ = false, done_ = false;
};

}  // namespace mie::sim
