// What is measured, and how one request is put to it. Values; any thread.
#pragma once

#include "bench/workload/document/fields.h"
#include "bench/workload/send_choices.h"

namespace mie::bench {

enum class TargetKind : std::uint8_t { kHttp, kInproc, kSim };

[[nodiscard]] std::string_view name_of(TargetKind kind);  // "http", "inproc", "sim"

// What the server must say of itself; empty: anything.
struct ExpectSpec {
  std::string weights_sha256{}, tokenizer_sha256{}, revision{}, dtype{}, quantisation{};

  void describe(Fields& fields);
};

struct TargetSpec {
  TargetKind kind = TargetKind::kHttp;
  std::string url;  // empty: given by the command line
  Endpoint endpoint = Endpoint::kCompletions;
  std::string model;
  std::string api_key_env;  // name of the variable; the key is never written
  std::map<std::string, std::string> headers;
  ExpectSpec expect;

  void describe(Fields& fields);
};

struct SamplingSpec : SamplingMembers {
  bool seed_per_request = true;  // request i uses seed + i

  void describe(Fields& fields);
};

struct StreamSpec {
  bool enabled = true;
  bool include_usage = true;
  bool timings = false;  // asks our server for its own stamps of each request

  void describe(Fields& fields);
};

}  // namespace mie::bench
