// As much of an answer as has to be seen while it arrives: where it ends, and for a reader that goes away after some tokens how
// many there were. Owned by a connection; the loop's thread.
#pragma once

#include "bench/load/answer_framing.h"
#include "bench/load/event_reader.h"
#include "bench/load/sse_events.h"

#include <string>
#include <string_view>

namespace mie::bench {

inline constexpr std::size_t kUsualEventBytes = 4096;

// Counts tokens as the reading after the run does.
class LiveTokens {
 public:
  explicit LiveTokens(EventReader& reader) : reader_(&reader), events_(kUsualEventBytes) {}

  void clear() {
    events_.clear();
    count_ = {};
  }
  void feed(std::string_view body) {
    events_.feed(body, [this](std::string_view event) {
      if (event != "[DONE]") count_.add(reader_->read(event));
    });
  }
  [[nodiscard]] int n() const { return count_.sum(); }

 private:
  EventReader* reader_;
  SseEvents events_;
  TokenCount count_;
};

class LiveAnswer final : public AnswerFraming {
 public:
  // `tokens`: counts, unless null.
  LiveAnswer(std::string& pending, LiveTokens* tokens) : AnswerFraming(pending), tokens_(tokens) {
    if (tokens_ != nullptr) tokens_->clear();
  }
  [[nodiscard]] bool body_seen() const { return body_seen_; }
  [[nodiscard]] int n_chunks() const { return n_chunks_; }
  [[nodiscard]] int n_tokens() const { return tokens_ == nullptr ? 0 : tokens_->n(); }

 private:
  void on_piece(std::string_view body) override {
    body_seen_ = true;
    if (tokens_ != nullptr) tokens_->feed(body);
  }
  void on_chunk() override { ++n_chunks_; }

  LiveTokens* tokens_;
  int n_chunks_ = 0;
  bool body_seen_ = false;
};

}  // namespace mie::bench
