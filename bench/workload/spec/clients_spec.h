// How clients behave: their connections, their patience, and those that read slowly or go away on purpose. Values; any thread.
#pragma once

#include "bench/workload/document/fields.h"

namespace mie::bench {

struct SlowReaderSpec {
  double share = 0;
  double bytes_per_s = 0;

  void describe(Fields& fields);
};

struct CancelSpec {
  double share = 0;
  std::optional<int> after_ms, after_tokens;  // exactly one

  void describe(Fields& fields);
};

struct ClientsSpec {
  int connections = 0;  // 0: as many as requests are in flight
  bool keepalive = true;
  int timeout_ms = 600'000;
  std::optional<int> deadline_ms;  // the server's, sent as timeout_ms
  std::optional<SlowReaderSpec> slow_reader;
  std::optional<CancelSpec> cancel;

  void describe(Fields& fields);
};

}  // namespace mie::bench
