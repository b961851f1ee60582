#include "server/api/choice_text.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <utility>

namespace mie::api {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }
bool is_lead(char c) { return static_cast<unsigned char>(c) >= 0xC0U; }

// Bytes of the last character of valid UTF-8.
std::size_t last_character_bytes(std::string_view text) {
  std::size_t n = 1;
  while (is_continuation(text[text.size() - n])) ++n;
  return n;
}

}  // namespace

std::int64_t count_code_points(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); });
}

ChoiceText::ChoiceText(const Tokenizer& tokenizer, TextOptions options)
    : tokenizer_(tokenizer),
      options_(std::move(options)),
      matcher_(options_.stops, options_.include_stop),
      unsent_(options_.echo) {
  n_chars_decoded_ = n_chars_released_ = count_code_points(options_.echo);
}

bool ChoiceText::adds_text(TokenId id) const {
  const auto& stop_ids = options_.stop_ids;
  if (std::find(stop_ids.begin(), stop_ids.end(), id) != stop_ids.end()) return false;
  if (!options_.skip_special) return true;
  const auto& eos = tokenizer_.config().eos_ids;
  return !tokenizer_.special(id) && std::find(eos.begin(), eos.end(), id) == eos.end();
}

void ChoiceText::push_prompt(Sampled scored) {
  const std::size_t at = prompt_.size();
  ENSURE(at < options_.echo_offsets.size(), "an entry for a token that is not echoed");
  const auto place = at == 0 ? TokenPlace::kFirstOfPrompt : TokenPlace::kInPrompt;
  prompt_.push_back({.sampled = std::move(scored), .bytes = {}, .text_offset = options_.echo_offsets[at], .place = place});
}

void ChoiceText::push(Sampled sampled) {
  ENSURE(!stopped_, "token after the stop string");
  ++n_tokens_;
  const TokenId id = sampled.token;
  const std::string_view bytes = adds_text(id) ? tokenizer_.token_bytes(id) : std::string_view{};
  held_.push_back(
      {{.sampled = std::move(sampled), .bytes = std::string(bytes), .text_offset = n_chars_decoded_}, bytes.size()});
  const std::string text = decode(bytes);
  if (text.empty()) return;
  if (n_tokens_ <= options_.min_tokens) return release(text);
  auto step = matcher_.push(text);
  release(step.text);
  if (!step.match) return;
  stopped_ = true;
  matched_ = std::move(*step.match);
}

// Byte by byte, so that each byte knows the end of its character in the decoded text: where a stop string cuts a token,
// its entry keeps exactly the bytes before the cut.
std::string ChoiceText::decode(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t n_before = n_unresolved_;
    byte_ends_.push_back(0);
    ++n_unresolved_;
    const std::string out = detokenizer_.push(bytes.substr(i, 1));
    if (out.empty()) continue;
    decoded_ += out.size();
    const bool one_character = count_code_points(out) == 1;
    if (n_before > 0 && one_character && is_lead(bytes[i])) {
      resolve(1, decoded_);  // what was pending is a replacement character; this byte begins the next
    } else {
      if (!one_character) resolve(1, decoded_ - last_character_bytes(out));
      resolve(0, decoded_);
    }
    text += out;
  }
  n_chars_decoded_ += count_code_points(text);
  return text;
}

void ChoiceText::resolve(std::size_t n_unresolved_left, std::size_t end) {
  for (; n_unresolved_ > n_unresolved_left; --n_unresolved_) byte_ends_[byte_ends_.size() - n_unresolved_] = end;
}

void ChoiceText::release(std::string_view text) {
  unsent_ += text;
  released_ += text.size();
  n_chars_released_ += count_code_points(text);
}

void ChoiceText::finish() {
  if (stopped_) return;
  release(matcher_.finish());
  const std::string tail = detokenizer_.finish();
  decoded_ += tail.size();
  resolve(0, decoded_);
  release(tail);
}

TokenEntry ChoiceText::pop_front() {
  Held held = std::move(held_.front());
  held_.pop_front();
  const auto first = byte_ends_.begin();
  const auto last = first + static_cast<std::ptrdiff_t>(held.n_bytes);
  const auto n_kept = std::count_if(first, last, [this](std::size_t end) { return end != 0 && end <= released_; });
  byte_ends_.erase(first, last);
  held.entry.bytes.resize(static_cast<std::size_t>(n_kept));
  held.entry.text_offset = std::min(held.entry.text_offset, n_chars_released_);
  return std::move(held.entry);
}

TextPiece ChoiceText::take() {
  TextPiece piece;
  if (unsent_.empty()) return piece;
  piece.text = std::move(unsent_);
  unsent_.clear();
  piece.tokens = std::exchange(prompt_, {});
  std::size_t n_complete = 0, n_bytes = 0;  // tokens up to the last one whose text is all released
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (held_[i].n_bytes == 0) continue;
    n_bytes += held_[i].n_bytes;
    const std::size_t end = byte_ends_[n_bytes - 1];
    if (end == 0 || end > released_) break;
    n_complete = i + 1;
  }
  for (; n_complete > 0; --n_complete) piece.tokens.push_back(pop_front());
  return piece;
}

std::vector<TokenEntry> ChoiceText::take_rest() {
  std::vector<TokenEntry> rest = std::exchange(prompt_, {});
  while (!held_.empty()) rest.push_back(pop_front());
  return rest;
}

}  // namespace mie::api
