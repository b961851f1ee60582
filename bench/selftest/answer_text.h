// The bytes of a known answer, as an OpenAI-style server would write them. One writer for each answer; the server's thread.
#pragma once

#include "bench/selftest/answer_plan.h"

#include <string>
#include <string_view>

namespace mie::bench {

class AnswerText {
 public:
  AnswerText(const AskedRequest& asked, const AnswerPlan& plan) : asked_(asked), plan_(plan) {}

  // The next event with tokens; the first brings the head. REQUIRES: events are left.
  void append_event(std::string& out);
  // All that comes after the events, unless the plan says that nothing does. Of an answer that is not streamed: all of it.
  void append_end(std::string& out);

  [[nodiscard]] bool events_left() const { return next_ < plan_.events.size(); }
  [[nodiscard]] const PlannedEvent& next() const { return plan_.events[next_]; }
  [[nodiscard]] int n_tokens() const { return n_tokens_; }

 private:
  void append_head(std::string& out);
  void append_frame(std::string& out, std::string_view text) const;
  [[nodiscard]] std::string chunk(std::string_view choice, bool with_usage) const;
  [[nodiscard]] std::string choice(int n_new, std::string_view finish) const;
  [[nodiscard]] std::string usage() const;
  void append_whole(std::string& out);
  void append_fault(std::string& out);

  AskedRequest asked_;
  AnswerPlan plan_;
  std::size_t next_ = 0;
  int n_tokens_ = 0;
  bool head_written_ = false;
};

[[nodiscard]] std::string error_answer(int http_status, std::string_view code, int retry_after_s);

}  // namespace mie::bench
