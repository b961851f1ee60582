// What a server says of itself beside a load: who it is, which model it serves, its counters. Blocks; any thread.
#pragma once

#include "bench/metrics/counter_check.h"
#include "bench/run/http_fetch.h"
#include "bench/run/prometheus_text.h"

#include <string>
#include <string_view>

namespace mie::bench {

// Of the model; what a server does not tell is empty.
struct ServerIdentity {
  std::string weights_sha256{}, tokenizer_sha256{}, revision{};
  std::string dtype{};         // of weights that are not quantised
  std::string quantisation{};  // "none" where they are not
  std::string kv_dtype{};
};

// From the answer of /v1/models/{id}.
[[nodiscard]] ServerIdentity identity_of(const std::string& model_json);

struct ServerFacts {
  std::string version_json{};  // the answer of /version; empty: it has none
  std::string models_json{};   // of /v1/models
  std::string model_json{};    // of /v1/models/{id}
  std::string model{};         // the one that is asked for, else the first that it serves; empty: it does not say
  bool is_mie = false;         // answers tell token ids and a /version of ours
};

// `model`: that will be asked for; empty: the first. Error kConfig: nobody answers.
[[nodiscard]] Result<ServerFacts> server_facts(const ServerAddress& server, const HeaderFields& fields, std::string_view model);

// Of /metrics; none: the server has no such route.
[[nodiscard]] MetricSums counters(const ServerAddress& server, const HeaderFields& fields);

// What grew, by the names that servers have for it.
[[nodiscard]] CounterDeltas deltas_of(const MetricSums& before, const MetricSums& after);

// Drops the prefix cache; false: the server cannot.
[[nodiscard]] bool flush_prefix_cache(const ServerAddress& server, const HeaderFields& fields);

}  // namespace mie::bench
