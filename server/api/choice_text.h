// From sampled tokens to the text of one choice: detokenizing, stop strings, and which token's entry travels with which
// text. Pure: no engine, no socket. Owned by the request's generation; used on its connection's strand.
//
// Text is held back while it may still become part of a stop string or of a character; a token's entry (its id, log-
// probability, bytes) is held back until all its text has been released, and leaves with the text that completes it.
// Tokens without text (EOS, hidden control tokens) leave with the next text or at the end. Those of an echoed prompt leave
// with the echo.
#pragma once

#include "core/text/detokenizer.h"
#include "core/text/stop_matcher.h"
#include "core/text/tokenizer.h"
#include "models/model_runner.h"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace mie::api {

struct TextOptions {
  std::vector<std::string> stops{};
  bool include_stop = false;                 // the text ends with the stop string instead of before it
  bool skip_special = true;                  // control tokens and EOS add no text
  int min_tokens = 0;                        // stop strings are looked for in tokens after so many
  std::vector<TokenId> stop_ids{};           // sampling one ends the choice and adds no text
  std::string echo{};                        // text that precedes the first token's
  std::vector<std::int64_t> echo_offsets{};  // of each token of the echo
};

enum class TokenPlace {
  kFirstOfPrompt,  // follows nothing, so it has no log-probability
  kInPrompt,
  kGenerated,
};

struct TokenEntry {
  Sampled sampled;
  std::string bytes;             // what the token added to the content, before invalid bytes were replaced
  std::int64_t text_offset = 0;  // code points of text before the token's
  TokenPlace place = TokenPlace::kGenerated;
};

struct TextPiece {
  std::string text;
  std::vector<TokenEntry> tokens;
};

class ChoiceText {
 public:
  // `tokenizer` outlives it.
  ChoiceText(const Tokenizer& tokenizer, TextOptions options);

  // The next token of the echo is to have an entry. REQUIRES: nothing taken yet; no more tokens than echo_offsets.
  void push_prompt(Sampled scored);

  // REQUIRES: not stopped, not finished.
  void push(Sampled sampled);

  // The engine has ended the choice: releases what was held back. Not after a stop string.
  void finish();

  [[nodiscard]] bool stopped() const { return stopped_; }                    // by a stop string
  [[nodiscard]] const std::string& stop_string() const { return matched_; }  // REQUIRES: stopped()
  [[nodiscard]] int n_tokens() const { return n_tokens_; }                   // pushed, the completing one included
  [[nodiscard]] std::size_t n_unsent_bytes() const { return unsent_.size(); }

  // Text released since the last call, with the entries it completes. Without text: nothing, entries wait.
  TextPiece take();

  // At the end, after take(): the entries that completed no text. Cut ones keep the bytes that made it into the content.
  std::vector<TokenEntry> take_rest();

 private:
  struct Held {
    TokenEntry entry;
    std::size_t n_bytes = 0;  // of its text
  };

  [[nodiscard]] bool adds_text(TokenId id) const;
  std::string decode(std::string_view bytes);
  void resolve(std::size_t n_unresolved_left, std::size_t end);
  void release(std::string_view text);
  TokenEntry pop_front();

  const Tokenizer& tokenizer_;
  TextOptions options_;
  Detokenizer detokenizer_;
  StopMatcher matcher_;
  std::vector<TokenEntry> prompt_;
  std::deque<Held> held_;
  // For each byte of the held tokens: the length of the decoded text up to and including its character. The last
  // n_unresolved_ bytes are inside a character that is not complete.
  std::deque<std::size_t> byte_ends_;
  std::size_t n_unresolved_ = 0;
  std::size_t decoded_ = 0;                                  // bytes of text decoded, without echo
  std::size_t released_ = 0;                                 // of these, released
  std::int64_t n_chars_decoded_ = 0, n_chars_released_ = 0;  // code points, with echo
  std::string unsent_;
  int n_tokens_ = 0;
  bool stopped_ = false;
  std::string matched_;
};

// Code points of valid UTF-8.
[[nodiscard]] std::int64_t count_code_points(std::string_view text);

}  // namespace mie::api
