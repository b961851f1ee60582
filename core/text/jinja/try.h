// Early return on an error, for the interpreter, where nearly every call can fail. Macros, because only a macro can return
// from the function that it stands in. Any thread.
#pragma once

#include <utility>

#define MIE_TRY_JOIN_(a, b) a##b
#define MIE_TRY_JOIN(a, b) MIE_TRY_JOIN_(a, b)
#define MIE_TRY_AS_(outcome, declaration, ...) \
  auto outcome = (__VA_ARGS__);                \
  if (outcome.has_error()) [[unlikely]]        \
    return outcome.error();                    \
  declaration = *std::move(outcome)

// MIE_TRY(const Value left, evaluate(*node.left)): declares `left`, or returns the error.
#define MIE_TRY(declaration, ...) MIE_TRY_AS_(MIE_TRY_JOIN(outcome_of_line_, __LINE__), declaration, __VA_ARGS__)

// MIE_CHECK(runtime.step()): goes on, or returns the error.
#define MIE_CHECK(...)                                                                  \
  do {                                                                                  \
    if (auto checked_outcome = (__VA_ARGS__); checked_outcome.has_error()) [[unlikely]] \
      return checked_outcome.error();                                                   \
  } while (false)
