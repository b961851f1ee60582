// `mie trace export FILE --out FILE`: the file of `mie serve --step-trace` as Chrome trace events, for Perfetto.
#pragma once

#include "core/base/error.h"

#include <string>

namespace CLI {
class App;
}

namespace mie {

class TraceCommand {
 public:
  explicit TraceCommand(CLI::App& command);
  Result<int> run();  // the exit code; an error is exit code 2

 private:
  std::string file_, out_;
};

}  // namespace mie
