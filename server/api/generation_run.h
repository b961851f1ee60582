// The choices of one request while they are in the engine: reads their token streams, turns tokens into text, and says
// when there is news. All on the connection's strand; shared by the request's handler and one pump coroutine a choice.
#pragma once

#include "core/base/log.h"
#include "server/api/answer_json.h"
#include "server/api/prepare.h"
#include "server/cancel_guard.h"
#include "server/connection.h"
#include "server/task_group.h"

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mie::api {

struct LiveChoice {
  LiveChoice(const Tokenizer& tokenizer, PreparedChoice prepared);

  // The next token of the prompt with its log-probability, the first one without.
  void push_prompt(const Sampled& scored);

  ChoiceText text;
  int n_prompt = 0;
  bool first_of_prompt = true;  // whose tokens count once
  int max_tokens = 0;
  std::vector<TokenId> prompt_ids;     // for return_token_ids
  std::vector<Sampled> prompt_scores;  // for prompt_logprobs
  int n_echo_logprobs, n_prompt_logprobs;
  std::vector<std::pair<TokenId, std::string>> stop_texts;
  std::vector<TokenId> eos_ids;
  bool until_context = false;

  std::shared_ptr<TokenStream> stream;  // null: nothing is computed (max_tokens 0 without logprobs)
  CancelGuard guard;
  net::cancellation_signal stop_pump;

  bool has_token = false;
  bool ended = false;  // `end` is set
  ChoiceEnd end;
  std::optional<Finish> finish;                              // what the engine said; unset after a stop string
  std::optional<Clock::time_point> first_token, last_token;  // as they reached the connection
};

class GenerationRun : public std::enable_shared_from_this<GenerationRun> {
 public:
  struct Setup {
    Engine& engine;
    const Clock& clock;
    TaskGroup& tasks;
    net::any_io_executor executor;                     // of the coroutine that reads the run
    std::shared_ptr<Connection> connection = nullptr;  // null: the answer goes elsewhere (mie generate)
    std::size_t output_limit_bytes = 0;                // that the connection may leave untaken
  };

  // All choices are taken into the queue or none. Errors: as Engine::submit.
  static Result<std::shared_ptr<GenerationRun>> submit(const ServedModel& model, PreparedGeneration& prepared, Setup setup);

  // News: text, an end or a failure since the last look() began. Returns at once when there is some; at the deadline too.
  net::awaitable<void> wait_for_news(Clock::time_point deadline);
  void look() { has_news_ = false; }

  [[nodiscard]] std::vector<std::unique_ptr<LiveChoice>>& choices() { return choices_; }
  [[nodiscard]] bool started() const;  // a first token exists, or everything has ended
  [[nodiscard]] bool ended() const;
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  [[nodiscard]] bool overflowed() const { return overflowed_; }  // the client left more untaken than it may
  [[nodiscard]] Usage usage() const;

  // The request has failed for a reason that the engine does not know of. The first failure counts.
  void fail(Error error);

  // Lets go of every choice; those that ended whole count as delivered when `outcome` is complete. Idempotent.
  void release(Outcome outcome);

 private:
  explicit GenerationRun(Setup setup);
  void spawn_pumps();
  static net::awaitable<void> pump(std::shared_ptr<GenerationRun> self, std::size_t index);
  void take(LiveChoice& choice, TokenBatch batch);
  void end_by_engine(LiveChoice& choice);
  void notify();

  Setup setup_;
  net::steady_timer news_;  // cancelled to say that there is news; one waiter
  std::vector<std::unique_ptr<LiveChoice>> choices_;
  std::optional<Error> failure_;
  bool wait_for_times_ = false;  // after a stop string too, for `timings`
  bool has_news_ = false;
  bool overflowed_ = false;
};

}  // namespace mie::api
