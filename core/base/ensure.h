// ENSURE states what must be true whatever a client does. It stays on in release builds; a failure is a bug and throws
// InvariantError, which only Session::run and Engine::guarded_step catch.
#pragma once

#include <stdexcept>
#include <string>

namespace mie {

class InvariantError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void invariant_failed(const char* condition, const char* file, int line, const std::string& what) {
  throw InvariantError(std::string(file) + ":" + std::to_string(line) + ": " + what + " (" + condition + ")");
}

}  // namespace mie

// `message` is anything that a std::string can be built from; it is evaluated on failure only.
#define ENSURE(condition, message)                                        \
  do {                                                                    \
    if (!(condition)) [[unlikely]]                                        \
      ::mie::invariant_failed(#condition, __FILE__, __LINE__, (message)); \
  } while (false)
