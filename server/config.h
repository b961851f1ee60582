// What the command line, the environment and a TOML file say, merged and checked. Precedence: flag, environment, file,
// default. Value; immutable after parsing.
#pragma once

#include "core/base/error.h"
#include "core/base/log.h"
#include "server/server_options.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mie {

struct Config {
  // model and compute
  std::string model;              // GGUF file or fake:<spec>
  std::string served_model_name;  // comma list; empty: the model's own
  std::string chat_template;      // file, "none" or empty: the model's
  std::string backend = "native";
  std::string dtype = "auto";
  std::string kv_dtype = "auto";
  std::string compute = "w4a8";
  std::string isa = "auto";
  std::string kernels = "tuned";  // or simd, ref: baselines, as are the other values of the next two
  std::string attn = "paged";
  std::string sample = "batch";
  int threads = 0;                         // 0: one per core
  std::string pin = "auto";                // "auto", "off" or a comma list of cores
  int max_model_len = 0;                   // 0: automatic
  std::int64_t kv_cache_memory_bytes = 0;  // 0: automatic
  std::string block_size = "32";
  std::string kv = "paged";  // or none
  bool prefix_caching = true;
  bool parse_special_in_content = false;
  std::string seed;  // empty: random

  // engine
  std::string sched = "chunked";
  int max_num_seqs = 64;
  int max_num_batched_tokens = 512;
  int max_prefill_chunk = 256;
  int max_queue = 512;
  std::int64_t max_queue_tokens = 1 << 20;
  std::chrono::milliseconds priority_ageing{0};
  std::chrono::milliseconds step_time{100};
  std::chrono::milliseconds step_limit{15'000};
  std::string speculate = "off";  // off or ngram[:drafts]
  int step_ring = 1024;
  std::string step_trace;  // file; empty: none
  std::string record;      // file; empty: none
  bool paranoid = false;

  // HTTP
  ListenAddress listen;
  int io_threads = 1;
  bool insecure_no_auth = false;
  ServerOptions server;

  LogOptions log;
};

// One setting as the user spells it. `set` says what a bad text should have been.
struct ConfigOption {
  enum class Kind { kText, kInteger, kSize, kDuration, kFlag };
  enum class Scope { kModel, kServe };  // kModel: `mie generate` has it too

  std::string_view name;  // "max-num-seqs"
  Kind kind;
  Scope scope;
  std::string_view help;  // with its unit
  std::function<std::optional<std::string>(Config&, const std::string&)> set;
  std::function<std::string(const Config&)> show;
};
[[nodiscard]] std::span<const ConfigOption> config_options();

// Texts of flags by option name, as the command line had them; "true" and "false" for --x and --no-x.
using FlagTexts = std::map<std::string, std::string, std::less<>>;

struct ConfigSources {
  FlagTexts flags;
  std::vector<std::string> environment;  // "MIE_PORT=9000"; other names are not looked at
  std::string file;                      // path; empty: none
};

struct MergedConfig {
  Config config;
  std::vector<std::string> warnings;  // unknown MIE_ names
};

// Errors: kConfig, one line that names file and line, flag or variable, and the reason.
Result<MergedConfig> merge_config(const ConfigSources& sources);

// Checks that need several settings at once: a listener that is not local, contradictions.
[[nodiscard]] std::optional<Error> check_config(const Config& config);

// One `name = value` a line, as a TOML file that would give the same settings.
[[nodiscard]] std::string show_config(const Config& config);

}  // namespace mie
