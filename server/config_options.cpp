// The table of settings. Adding one is a line here and a member of Config.
// Long because it is one table, which is read as a whole.
#include "server/config.h"

#include "core/sched/make_scheduler.h"
#include "models/native/isa.h"
#include "models/torch/torch_options.h"
#include "server/config_values.h"

#include <limits>
#include <sstream>

namespace mie {
namespace {

using Kind = ConfigOption::Kind;
using Scope = ConfigOption::Scope;
using Complaint = std::optional<std::string>;

struct Meaning {
  std::string_view name;
  Scope scope;
  std::string_view help;
};

struct Bounds {
  std::int64_t min, max;
};
constexpr Bounds kPositive = {1, std::numeric_limits<int>::max()};
constexpr Bounds kNatural = {0, std::numeric_limits<int>::max()};

template <class Get>  // Get: Config& → T&, T an integer type
ConfigOption integer(Meaning meaning, Bounds bounds, Get get) {
  return {meaning.name,
          Kind::kInteger,
          meaning.scope,
          meaning.help,
          [bounds, get](Config& config, const std::string& text) -> Complaint {
            const auto value = parse_integer(text);
            if (!value || *value < bounds.min || *value > bounds.max) {
              return "an integer between " + std::to_string(bounds.min) + " and " + std::to_string(bounds.max);
            }
            get(config) = static_cast<std::remove_reference_t<decltype(get(config))>>(*value);
            return {};
          },
          [get](const Config& config) {
            Config copy = config;
            return std::to_string(get(copy));
          }};
}

template <class Get>  // Get: Config& → std::chrono::milliseconds&
ConfigOption duration(Meaning meaning, std::int64_t min_ms, Get get) {
  return {meaning.name,
          Kind::kDuration,
          meaning.scope,
          meaning.help,
          [min_ms, get](Config& config, const std::string& text) -> Complaint {
            const auto value = parse_duration(text);
            if (!value || value->count() < min_ms)
              return "a duration such as 500ms, 30s or 2m of at least " + std::to_string(min_ms) + "ms";
            get(config) = *value;
            return {};
          },
          [get](const Config& config) {
            Config copy = config;
            return '"' + show_duration(get(copy)) + '"';
          }};
}

template <class Get>  // Get: Config& → an integer of bytes
ConfigOption size(Meaning meaning, Get get) {
  return {meaning.name,
          Kind::kSize,
          meaning.scope,
          meaning.help,
          [get](Config& config, const std::string& text) -> Complaint {
            const auto value = parse_size(text);
            if (!value || *value < 1) return "a size such as 1024, 64KiB, 512MiB or 1GiB";
            get(config) = static_cast<std::remove_reference_t<decltype(get(config))>>(*value);
            return {};
          },
          [get](const Config& config) {
            Config copy = config;
            return '"' + show_size(static_cast<std::int64_t>(get(copy))) + '"';
          }};
}

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// Any text; `check` says what it should have been.
template <class Get>
ConfigOption text(Meaning meaning, Get get, std::function<Complaint(const std::string&)> check = {}) {
  return {meaning.name,
          Kind::kText,
          meaning.scope,
          meaning.help,
          [get, check](Config& config, const std::string& value) -> Complaint {
            if (check) {
              if (auto complaint = check(value)) return complaint;
            }
            get(config) = value;
            return {};
          },
          [get](const Config& config) {
            Config copy = config;
            return in_quotes(get(copy));
          }};
}

template <class Get>
ConfigOption flag(Meaning meaning, Get get) {
  return {meaning.name,
          Kind::kFlag,
          meaning.scope,
          meaning.help,
          [get](Config& config, const std::string& value) -> Complaint {
            if (value != "true" && value != "false") return "true or false";
            get(config) = value == "true";
            return {};
          },
          [get](const Config& config) {
            Config copy = config;
            return std::string(get(copy) ? "true" : "false");
          }};
}

template <class Get>
ConfigOption name_list(Meaning meaning, Get get) {
  return {meaning.name,
          Kind::kText,
          meaning.scope,
          meaning.help,
          [get](Config& config, const std::string& value) -> Complaint {
            auto& list = get(config);
            list.clear();
            std::istringstream items(value == "none" ? "" : value);
            for (std::string item; std::getline(items, item, ',');) {
              if (item.empty()) return "a comma list without empty items, or none";
              list.push_back(item);
            }
            return {};
          },
          [get](const Config& config) {
            Config copy = config;
            std::string joined;
            for (const std::string& item : get(copy)) joined += (joined.empty() ? "" : ",") + item;
            return in_quotes(joined.empty() ? "none" : joined);
          }};
}

std::function<Complaint(const std::string&)> one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& value) -> Complaint {
    std::string list;
    for (const std::string& word : words) {
      if (word == value) return {};
      list += (list.empty() ? "" : ", ") + word;
    }
    return "one of " + list;
  };
}

Complaint check_dtype(const std::string& value) {
  return parse_torch_dtype(value, "dtype").has_error() ? Complaint("one of auto, fp32, bf16") : std::nullopt;
}

Complaint check_isa(const std::string& value) {
  std::string list = "auto";
  for (const native::Isa isa : native::all_isas()) {
    if (native::isa_name(isa) == value) return {};
    list += ", " + std::string(native::isa_name(isa));
  }
  return value == "auto" ? Complaint() : "one of " + list;
}

Complaint check_pin(const std::string& value) {
  return value == "auto" || value == "off" || parse_core_list(value) ? Complaint()
                                                                     : "auto, off or a comma list of cores such as 0,1";
}

Complaint check_scheduler(const std::string& value) {
  return parse_scheduler(value).has_error() ? Complaint("one of serial, static, continuous, chunked") : std::nullopt;
}

Complaint check_speculation(const std::string& value) {
  return parse_speculation(value) ? Complaint() : "off, ngram or ngram:k with k between 1 and 7";
}

Complaint check_seed(const std::string& value) {
  const auto seed = parse_integer(value);
  return value.empty() || (seed && *seed >= 0) ? std::nullopt : Complaint("an integer between 0 and 9223372036854775807");
}

std::vector<ConfigOption> model_options() {
  constexpr Scope kScope = Scope::kModel;
  std::vector<ConfigOption> all;
  all.push_back(
      text({"model", kScope, "GGUF file, or fake:<spec> for load tests"}, [](Config& c) -> auto& { return c.model; }));
  all.push_back(text({"chat-template", kScope, "template file, or none (default: the model's)"},
                     [](Config& c) -> auto& { return c.chat_template; }));
  all.push_back(text(
      {"backend", kScope, "native (CPU kernels) or torch (libtorch)"}, [](Config& c) -> auto& { return c.backend; },
      one_of({"native", "torch"})));
  all.push_back(text({"dtype", kScope, "auto, fp32 or bf16"}, [](Config& c) -> auto& { return c.dtype; }, check_dtype));
  all.push_back(text({"kv-dtype", kScope, "auto, fp32 or bf16"}, [](Config& c) -> auto& { return c.kv_dtype; }, check_dtype));
  all.push_back(text(
      {"compute", kScope, "arithmetic of quantised weights on native: w4a8 (8-bit activations) or w4a16 (bf16 activations)"},
      [](Config& c) -> auto& { return c.compute; }, one_of({"w4a8", "w4a16"})));
  all.push_back(text(
      {"isa", kScope, "instruction set of the native kernels: auto, or one that the CPU has"},
      [](Config& c) -> auto& { return c.isa; }, check_isa));
  all.push_back(text(
      {"kernels", kScope,
       "tuned, or a baseline to measure against: simd (vectors, each row by itself) or ref (the same without vectors)"},
      [](Config& c) -> auto& { return c.kernels; }, one_of({"ref", "simd", "tuned"})));
  all.push_back(text(
      {"attn", kScope,
       "paged, or a baseline: gathered (K and V are copied into one piece first) or naive (that, and each query by itself)"},
      [](Config& c) -> auto& { return c.attn; }, one_of({"naive", "gathered", "paged"})));
  all.push_back(text(
      {"sample", kScope, "batch, or a baseline: seq (one token after the other, on one thread)"},
      [](Config& c) -> auto& { return c.sample; }, one_of({"seq", "batch"})));
  all.push_back(text(
      {"pin", kScope, "cores of the compute threads: auto, off or a comma list"}, [](Config& c) -> auto& { return c.pin; },
      check_pin));
  all.push_back(
      integer({"threads", kScope, "compute threads; 0: one per core"}, kNatural, [](Config& c) -> auto& { return c.threads; }));
  all.push_back(
      integer({"max-model-len", kScope, "tokens of prompt and output; 0: the model's, lowered to what the KV memory holds"},
              kNatural, [](Config& c) -> auto& { return c.max_model_len; }));
  all.push_back({"kv-cache-memory", Kind::kSize, kScope, "bytes of KV cache, or auto",
                 [](Config& c, const std::string& value) -> Complaint {
                   const auto bytes = value == "auto" ? std::optional<std::int64_t>(0) : parse_size(value);
                   if (!bytes || (*bytes == 0 && value != "auto")) return "auto or a size such as 512MiB or 1GiB";
                   c.kv_cache_memory_bytes = *bytes;
                   return {};
                 },
                 [](const Config& c) {
                   return c.kv_cache_memory_bytes == 0 ? "\"auto\"" : '"' + show_size(c.kv_cache_memory_bytes) + '"';
                 }});
  all.push_back(text({"block-size", kScope, "tokens of a KV block: 8, 16, a multiple of 32 up to 256, or max"},
                     [](Config& c) -> auto& { return c.block_size; }));
  all.push_back(text(
      {"kv", kScope, "paged, or none: each token computes all before it again, a baseline to measure against"},
      [](Config& c) -> auto& { return c.kv; }, one_of({"paged", "none"})));
  all.push_back(flag({"prefix-caching", kScope, "KV blocks of earlier prompts serve later ones that begin in the same way"},
                     [](Config& c) -> auto& { return c.prefix_caching; }));
  all.push_back(flag({"parse-special-in-content", kScope, "control tokens written in messages are recognised"},
                     [](Config& c) -> auto& { return c.parse_special_in_content; }));
  all.push_back(text(
      {"seed", kScope, "base for choices without a seed (default: random)"}, [](Config& c) -> auto& { return c.seed; },
      check_seed));
  all.push_back(text(
      {"sched", kScope, "serial, static, continuous or chunked"}, [](Config& c) -> auto& { return c.sched; }, check_scheduler));
  all.push_back(
      integer({"max-num-seqs", kScope, "choices in a step"}, {1, 65536}, [](Config& c) -> auto& { return c.max_num_seqs; }));
  all.push_back(integer({"max-num-batched-tokens", kScope, "tokens in a step"}, kPositive,
                        [](Config& c) -> auto& { return c.max_num_batched_tokens; }));
  all.push_back(integer({"max-prefill-chunk", kScope, "tokens of one prompt in a step"}, kPositive,
                        [](Config& c) -> auto& { return c.max_prefill_chunk; }));
  all.push_back(duration({"step-time", kScope, "chunked: prompts take no more of a step while others wait for a token; 0: any"},
                         0, [](Config& c) -> auto& { return c.step_time; }));
  all.push_back(text(
      {"speculate", kScope, "off, or ngram[:k]: verify up to k guessed tokens a step; the text is the same"},
      [](Config& c) -> auto& { return c.speculate; }, check_speculation));
  all.push_back(
      flag({"paranoid", kScope, "run every invariant check after each step"}, [](Config& c) -> auto& { return c.paranoid; }));
  all.push_back(text(
      {"log-level", kScope, "trace, debug, info, warn, error or off"}, [](Config& c) -> auto& { return c.log.level; },
      one_of({"trace", "debug", "info", "warn", "error", "off"})));
  all.push_back({"log-format", Kind::kText, kScope, "text or json",
                 [](Config& c, const std::string& value) -> Complaint {
                   if (value != "text" && value != "json") return "one of text, json";
                   c.log.json = value == "json";
                   return {};
                 },
                 [](const Config& c) { return std::string(c.log.json ? "\"json\"" : "\"text\""); }});
  all.push_back(text({"log-file", kScope, "file to log to (default: stderr)"}, [](Config& c) -> auto& { return c.log.file; }));
  return all;
}

void add_limits(std::vector<ConfigOption>& all) {
  constexpr Scope kScope = Scope::kServe;
  all.push_back(integer({"max-connections", kScope, "open connections"}, kPositive,
                        [](Config& c) -> auto& { return c.server.max_connections; }));
  all.push_back(integer({"max-connections-per-address", kScope, "open connections from one address"}, kPositive,
                        [](Config& c) -> auto& { return c.server.max_connections_per_address; }));
  all.push_back(integer({"max-requests-per-connection", kScope, "requests on one connection"}, kPositive,
                        [](Config& c) -> auto& { return c.server.max_requests_per_connection; }));
  all.push_back(
      size({"max-body", kScope, "bytes of one request body"}, [](Config& c) -> auto& { return c.server.max_body_bytes; }));
  all.push_back(size({"max-body-memory", kScope, "bytes of all request bodies held"},
                     [](Config& c) -> auto& { return c.server.max_body_memory_bytes; }));
  all.push_back(size({"output-buffer", kScope, "bytes of an answer that a client may leave untaken"},
                     [](Config& c) -> auto& { return c.server.output_buffer_bytes; }));
  all.push_back(integer({"max-queue", kScope, "waiting choices"}, kPositive, [](Config& c) -> auto& { return c.max_queue; }));
  all.push_back(integer({"max-queue-tokens", kScope, "waiting prompt tokens"}, {1, std::numeric_limits<std::int64_t>::max()},
                        [](Config& c) -> auto& { return c.max_queue_tokens; }));
  all.push_back(
      integer({"max-n", kScope, "choices of one prompt"}, {1, 4096}, [](Config& c) -> auto& { return c.server.max_n; }));
  all.push_back(integer({"max-choices", kScope, "choices of one request: prompts times n"}, {1, 4096},
                        [](Config& c) -> auto& { return c.server.max_choices; }));
  all.push_back(integer({"max-logprobs", kScope, "log-probabilities per token"}, {0, 1024},
                        [](Config& c) -> auto& { return c.server.max_logprobs; }));
}

void add_timeouts(std::vector<ConfigOption>& all) {
  constexpr Scope kScope = Scope::kServe;
  all.push_back(duration({"head-timeout", kScope, "first byte, and whole head of a request"}, 1,
                         [](Config& c) -> auto& { return c.server.head_timeout; }));
  all.push_back(duration({"body-timeout", kScope, "whole body of a request"}, 1,
                         [](Config& c) -> auto& { return c.server.body_timeout; }));
  all.push_back(duration({"idle-timeout", kScope, "kept-alive connection without a request"}, 1,
                         [](Config& c) -> auto& { return c.server.idle_timeout; }));
  all.push_back(duration({"write-timeout", kScope, "client that takes nothing of its answer"}, 1,
                         [](Config& c) -> auto& { return c.server.write_timeout; }));
  all.push_back(duration({"request-timeout", kScope, "longest life of a request"}, 1,
                         [](Config& c) -> auto& { return c.server.request_timeout; }));
  all.push_back(duration({"drain-timeout", kScope, "running requests after SIGTERM"}, 0,
                         [](Config& c) -> auto& { return c.server.drain_timeout; }));
  all.push_back(
      duration({"priority-ageing", kScope, "waiting that makes up for one unit of priority; 0: first come, first served"}, 0,
               [](Config& c) -> auto& { return c.priority_ageing; }));
  all.push_back(duration({"step-limit", kScope, "half the time after which a model step counts as stuck"}, 1,
                         [](Config& c) -> auto& { return c.step_limit; }));
  all.push_back(duration({"sse-ping", kScope, "silence in a stream before a comment is sent; 0: never"}, 0,
                         [](Config& c) -> auto& { return c.server.sse_ping; }));
}

std::vector<ConfigOption> all_options() {
  constexpr Scope kScope = Scope::kServe;
  std::vector<ConfigOption> all = model_options();
  all.push_back(text({"host", kScope, "address to listen on"}, [](Config& c) -> auto& { return c.listen.host; }));
  all.push_back(integer({"port", kScope, "port to listen on; 0: any, printed"}, {0, 65535},
                        [](Config& c) -> auto& { return c.listen.port; }));
  all.push_back(
      text({"uds", kScope, "unix socket to listen on instead"}, [](Config& c) -> auto& { return c.listen.unix_path; }));
  all.push_back(flag({"insecure-no-auth", kScope, "listen beyond this machine without keys"},
                     [](Config& c) -> auto& { return c.insecure_no_auth; }));
  all.push_back(text({"served-model-name", kScope, "comma list of names; the first is the default"},
                     [](Config& c) -> auto& { return c.served_model_name; }));
  all.push_back(
      integer({"io-threads", kScope, "threads for connections"}, {1, 256}, [](Config& c) -> auto& { return c.io_threads; }));
  all.push_back(name_list({"allowed-origins", kScope, "web origins: loopback, a comma list, * or none"},
                          [](Config& c) -> auto& { return c.server.allowed_origins; }));
  all.push_back(name_list({"allowed-hosts", kScope, "names besides loopback in Host"},
                          [](Config& c) -> auto& { return c.server.allowed_hosts; }));
  all.push_back(integer({"step-ring", kScope, "steps that GET /debug/steps and --step-trace look back"}, {1, 1 << 20},
                        [](Config& c) -> auto& { return c.step_ring; }));
  all.push_back(text({"step-trace", kScope, "file that gets a line for each step (default: none); see mie trace export"},
                     [](Config& c) -> auto& { return c.step_trace; }));
  all.push_back(text({"record", kScope, "file that gets all that the engine is asked and answers; see mie replay"},
                     [](Config& c) -> auto& { return c.record; }));
  add_limits(all);
  add_timeouts(all);
  return all;
}

}  // namespace

std::span<const ConfigOption> config_options() {
  static const std::vector<ConfigOption> kOptions = all_options();
  return kOptions;
}

}  // namespace mie
