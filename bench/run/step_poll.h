// Asks our server twice a second which steps its engine ran while a load is on (GET /debug/steps), on a thread of its own. What
// its ring of steps has lost in between is counted. Owned by a target.
#pragma once

#include "bench/metrics/step_counts.h"
#include "bench/run/http_fetch.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace mie::bench {

// Of an answer of /debug/steps, the steps after number `seen`, which becomes the last of them. `shift_ns`: from their clock to
// the lines'. False: it is no such answer.
[[nodiscard]] bool add_steps(const std::string& json, std::int64_t shift_ns, std::int64_t& seen, LoadSteps& steps);

class StepPoll {
 public:
  // Steps from now on, with stamps less `zero_ns`, which is of the stamp clock; the server is on this machine, where its clock
  // is ours too.
  StepPoll(const ServerAddress& server, HeaderFields fields, std::int64_t zero_ns);

  [[nodiscard]] std::optional<LoadSteps> end();  // none: the server does not tell

 private:
  void poll(const std::stop_token& stop);
  bool look();

  ServerAddress server_;
  HeaderFields fields_;
  std::int64_t shift_ns_ = 0;
  std::int64_t seen_ = 0;
  LoadSteps steps_;
  bool tells_ = false;
  std::jthread thread_;
};

}  // namespace mie::bench
