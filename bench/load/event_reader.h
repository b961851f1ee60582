// What one JSON text of an OpenAI-style answer says: an event of a stream, a whole body, or an error. Reuses its memory, so a
// run may use it as well as the reading afterwards. Not thread-safe.
#pragma once

#include "bench/load/request_record.h"

#include <simdjson.h>

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace mie::bench {

// Views and spans live until the reader reads again.
struct EventFacts {
  enum class Kind { kAnswer, kError, kBadJson, kBadContent };
  Kind kind = Kind::kAnswer;
  std::string_view error{};       // message of an error, or what is wrong with the text
  std::string_view error_code{};  // of an error

  bool has_choice = false;
  bool carries_text = false;  // by the look of it at least one token: text, or an empty text that neither opens nor ends
  std::string_view text{};
  std::string_view finish_reason{};
  std::optional<std::size_t> n_token_ids{};  // ids in the event; absent: it has no such list

  std::optional<int> completion_tokens{}, prompt_tokens{}, cached_tokens{};  // usage so far, absent where null
  std::optional<ServerTimes> server{};                                       // not placed yet
};

class EventReader {
 public:
  EventReader();
  [[nodiscard]] EventFacts read(std::string_view json);
  [[nodiscard]] const std::vector<TokenId>& token_ids() const { return token_ids_; }  // of the last event

 private:
  using Object = simdjson::dom::object;
  static bool read_error(const Object& root, EventFacts& out);
  bool read_choices(const Object& root, EventFacts& out);
  bool read_choice(const Object& choice, EventFacts& out);
  bool read_token_ids(const Object& choice, EventFacts& out);

  simdjson::dom::parser parser_;
  std::vector<TokenId> token_ids_;
};

// How many tokens each event of one answer brings: the ids in it, else the growth of its usage, else one. Once a better source
// has been seen, the worse ones no longer count. Value; one thread.
class TokenCount {
 public:
  int add(const EventFacts& event);
  [[nodiscard]] int sum() const { return sum_; }
  [[nodiscard]] TokenSource source() const { return source_; }

 private:
  TokenSource source_ = TokenSource::kNone;
  int usage_ = 0;
  int sum_ = 0;
};

}  // namespace mie::bench
