// The words of a recording for what the program has enumerations for, both ways. Pure functions.
#pragma once

#include "server/record/record.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace mie {

template <class T, std::size_t n>
using Words = std::array<std::pair<T, std::string_view>, n>;

inline constexpr Words<RecordEvent::Kind, 7> kKindWords = {{{RecordEvent::Kind::kTaken, "taken"},
                                                            {RecordEvent::Kind::kReleased, "released"},
                                                            {RecordEvent::Kind::kEnded, "ended"},
                                                            {RecordEvent::Kind::kPlanned, "planned"},
                                                            {RecordEvent::Kind::kCommitted, "committed"},
                                                            {RecordEvent::Kind::kFailed, "failed"},
                                                            {RecordEvent::Kind::kFlushed, "flushed"}}};
inline constexpr Words<Outcome, 7> kOutcomeWords = {{{Outcome::kComplete, "complete"},
                                                     {Outcome::kError, "error"},
                                                     {Outcome::kClientGone, "client_gone"},
                                                     {Outcome::kAborted, "aborted"},
                                                     {Outcome::kDeadline, "deadline"},
                                                     {Outcome::kSlowReader, "slow_reader"},
                                                     {Outcome::kShutdown, "shutdown"}}};
inline constexpr Words<FinishReason, 5> kReasonWords = {{{FinishReason::kStop, "stop"},
                                                         {FinishReason::kLength, "length"},
                                                         {FinishReason::kCancelled, "cancelled"},
                                                         {FinishReason::kDeadline, "deadline"},
                                                         {FinishReason::kError, "error"}}};

template <class T, std::size_t n>
std::string_view word_in(const Words<T, n>& words, T value) {
  for (const auto& [one, word] : words) {
    if (one == value) return word;
  }
  return "";
}

template <class T, std::size_t n>
std::optional<T> meaning_in(const Words<T, n>& words, std::string_view text) {
  for (const auto& [one, word] : words) {
    if (word == text) return one;
  }
  return {};
}

inline std::string_view word_of(RecordEvent::Kind kind) { return word_in(kKindWords, kind); }
inline std::string_view word_of(Outcome outcome) { return word_in(kOutcomeWords, outcome); }
inline std::string_view word_of(FinishReason reason) { return word_in(kReasonWords, reason); }

}  // namespace mie
