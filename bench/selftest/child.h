// Another program whose output is read line by line. Owned by one check of the self-test; its thread.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace mie::bench {

class Child {
 public:
  // What it writes to its standard output and error comes as one. A program that cannot be started ends with code 127.
  explicit Child(std::vector<std::string> words);
  ~Child();  // kills it, unless wait() has returned
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] std::optional<std::string> line();  // without its end; none: it has closed its output
  void kill();                                      // SIGKILL
  int wait();                                       // its exit code, 128 + the signal that ended it

 private:
  pid_t pid_ = -1;
  std::FILE* output_ = nullptr;
};

// The program that runs, as a path to start it again by.
[[nodiscard]] std::string this_program();

}  // namespace mie::bench
