// The only path from the engine to a connection: everything that happened to one request since the last look.
// Shared by the engine (push, any thread) and one connection coroutine (next, on the stream's executor). Its state lives
// on that executor, so there is no mutex and no lost wake-up; a slow reader gets bigger batches. Bounded by max_tokens, and
// where its logprobs are wanted by the prompt.
#pragma once

#include "core/base/error.h"
#include "core/engine/async_event.h"
#include "core/finish.h"
#include "models/model_runner.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/container/small_vector.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace mie {

struct Finish {
  FinishReason reason = FinishReason::kError;
  std::optional<Error> error{};      // for kDeadline, kError and kCancelled; unset for kStop and kLength
  std::optional<TokenId> stop_id{};  // kStop: the id that ended it
  RequestTimes times{};
};

// One token is the usual case and needs no allocation.
using SampledTokens = boost::container::small_vector<Sampled, 1>;

struct TokenBatch {
  // With Request::n_prompt_logprobs: the prompt's tokens from the second on, each once, in order, before the first of `tokens`.
  std::vector<Sampled> prompt{};
  SampledTokens tokens{};
  std::optional<Finish> finish{};  // set once, in the last batch
};

class TokenStream : public std::enable_shared_from_this<TokenStream> {
 public:
  // `executor`: the connection's strand; next() must be awaited on it. Its context outlives the engine.
  TokenStream(RequestId id, net::any_io_executor executor);

  [[nodiscard]] RequestId id() const { return id_; }
  [[nodiscard]] const net::any_io_executor& executor() const { return executor_; }

  // Any thread: posts to the executor, never blocks, never resumes the reader inline.
  void push(TokenBatch batch);

  // Everything since the last call; waits while there is nothing, so never empty. After the batch with `finish`, calling it
  // again is a bug. Supports cancellation (the wait ends with operation_aborted and nothing is lost, also as a branch of
  // `next() || other()`). One call at a time.
  net::awaitable<TokenBatch> next();

 private:
  void deliver(TokenBatch batch);  // on the executor
  [[nodiscard]] bool anything_pending() const;

  RequestId id_;
  net::any_io_executor executor_;
  AsyncEvent arrived_;
  TokenBatch pending_;
  bool finished_ = false;  // the reader has the last batch
};

}  // namespace mie
