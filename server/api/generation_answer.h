// Writes the answer of an accepted request, whole or as a stream, and the log line at its end. Lives in the frame of the
// request's handler; the connection's strand only.
#pragma once

#include "server/api/generation_run.h"
#include "server/exchange.h"
#include "server/service.h"
#include "server/sse_writer.h"

#include <memory>
#include <string>

namespace mie::api {

enum class AnswerEnd {
  kWhole,       // the last byte is with the kernel
  kFailed,      // the request failed; the client was told as far as it could be
  kSlowReader,  // the client took nothing for too long
  kGone,        // the client cannot be written to
};

class GenerationAnswer {
 public:
  // References outlive it. `prepared.choices` are in the run already.
  GenerationAnswer(Exchange& exchange, Service& service, const PreparedGeneration& prepared,
                   std::shared_ptr<GenerationRun> run);

  net::awaitable<AnswerEnd> whole();
  net::awaitable<AnswerEnd> stream();

  void log_end(Outcome outcome) const;

 private:
  net::awaitable<AnswerEnd> refuse();
  net::awaitable<AnswerEnd> send(bool last);
  void add_frames();
  void add_choice_frames(int index, LiveChoice& choice);
  void add_last_frames();
  void event(StreamEvent kind, const std::string& json);
  [[nodiscard]] AnswerEnd end_of(Connection::WriteEnd end) const;
  [[nodiscard]] ChunkExtras extras(int index) const;
  [[nodiscard]] std::optional<Timings> timings_of(const LiveChoice& choice) const;
  [[nodiscard]] std::optional<Timings> top_timings() const;
  [[nodiscard]] ChoiceEnd end_with_timings(const LiveChoice& choice) const;

  struct Progress {
    bool begun = false;     // its first chunk is made
    bool finished = false;  // its finish chunk is made
  };

  Exchange& exchange_;
  Service& service_;
  const PreparedGeneration& prepared_;
  std::shared_ptr<GenerationRun> run_;
  AnswerFrame frame_;
  SseWriter sse_;
  std::vector<Progress> progress_;
  std::optional<Clock::time_point> first_write_;
};

}  // namespace mie::api
