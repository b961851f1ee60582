// How long a run is, which part of it counts, and how often it is made. Values; any thread.
#pragma once

#include "bench/metrics/request_metrics.h"
#include "bench/workload/document/fields.h"

namespace mie::bench {

struct PrecisionSpec {
  Metric metric = Metric::kTtft;
  double quantile = 0.5;
  double rel_ci = 0.05;  // half the interval's width over the figure
  double max_s = 0;

  void describe(Fields& fields);
};

// The stop rule: exactly one of them.
struct RequestsSpec {
  std::optional<std::int64_t> count;
  std::optional<double> duration_s;
  std::optional<PrecisionSpec> precision;

  // Of the load in seconds; nothing when a count ends it.
  [[nodiscard]] std::optional<double> longest_s() const { return precision ? std::optional(precision->max_s) : duration_s; }

  void describe(Fields& fields);
};

// Of the prefix cache. kBefore: each load, when it is warm, so that it finds nothing of the warm-up. kBetween: two loads on one
// server, before the second warms up.
enum class Flush : std::uint8_t { kNever, kBefore, kBetween };

// At most one of the two. `requests` are sent one by one before the load starts; `seconds` are the first ones of the load.
struct WarmupSpec {
  int requests = 0;
  int seconds = 0;
  Flush flush = Flush::kNever;

  void describe(Fields& fields);
};

enum class SteadyMode : std::uint8_t { kDetect, kFixed };

struct SteadySpec {
  SteadyMode mode = SteadyMode::kDetect;
  double skip_s = 0, tail_s = 0;

  void describe(Fields& fields);
};

enum class RepetitionOrder : std::uint8_t { kInterleaved, kBlocked };

// Of our own server. kFresh: each load has a new one. kKept: each arm has one for all its loads, and idles beside the others'.
enum class ServerLife : std::uint8_t { kFresh, kKept };

struct RepetitionsSpec {
  int n = 1;
  ServerLife server = ServerLife::kFresh;
  int retries = 0;  // of repetitions that the machine or the client spoiled, in all
  RepetitionOrder order = RepetitionOrder::kInterleaved;
  double cooldown_s = 0;

  void describe(Fields& fields);
};

// Named overrides of server switches, for comparisons.
struct ArmSpec {
  std::string name;
  Value::Table server;  // "block_size" → 16; the keys are those of a configuration file of the server

  void describe(Fields& fields);
};

}  // namespace mie::bench
