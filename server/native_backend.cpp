#include "core/base/log.h"
#include "core/engine/engine_options.h"
#include "models/native/native_runner.h"
#include "models/native/thread_pool.h"
#include "server/backend.h"
#include "server/config_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace mie {
namespace {

// The packed weights of so many bytes are new before the pages of the file that they came from are dropped.
constexpr std::int64_t kDropEvery = std::int64_t{32} << 20U;

Error bad(std::string message) { return {Errc::kConfig, std::move(message), ""}; }

class NativeBackend final : public Backend {
 public:
  explicit NativeBackend(native::NativeOptions options) : options_(std::move(options)) {}

  [[nodiscard]] std::string_view name() const override { return "native"; }
  [[nodiscard]] std::string_view isa() const override { return native::isa_name(options_.isa); }
  [[nodiscard]] std::string_view numerics() const override {
    return options_.mode == native::ComputeMode::kW4A8 ? "w4a8" : "w4a16";
  }
  [[nodiscard]] int kv_element_bytes() const override { return 2; }
  [[nodiscard]] KvTouch kv_touch() const override { return KvTouch::kOnUse; }

  // Quantised formats are packed at their own size, floats become bf16.
  [[nodiscard]] std::int64_t weight_bytes(const WeightSource& weights) const override {
    std::int64_t bytes = 0;
    for (const TensorView& tensor : weights.tensors()) {
      const auto size = static_cast<std::int64_t>(tensor.bytes.size());
      bytes += tensor.format == QuantFormat::kF32 && tensor.shape.size() > 1 ? size / 2 : size;
    }
    return bytes;
  }

  // The mapped file is dropped behind the packing, so that at no time both copies of the weights are resident.
  Result<std::unique_ptr<ModelRunner>> open(const RunnerParts& parts, const LoadProgress& progress) override {
    options_.n_blocks = parts.kv.n_blocks;
    options_.block_size = parts.kv.block_size;
    options_.max_positions = parts.kv.max_model_len;
    options_.n_tokens = parts.n_tokens;
    options_.tap = parts.tap;
    logger("model")->info("backend=native isa={} compute={} threads={} cores={}", isa(), numerics(), options_.n_threads,
                          options_.cores.empty() ? "any" : fmt::format("{}", fmt::join(options_.cores, ",")));
    const auto dropping = [&, next_drop = kDropEvery](std::int64_t done, std::int64_t total) mutable {
      if (done >= next_drop) {
        parts.weights.drop_resident_pages();
        next_drop = done + kDropEvery;
      }
      progress(done, total);
    };
    auto runner = native::make_native_runner(parts.plan, parts.weights, options_, dropping);
    parts.weights.drop_resident_pages();
    return runner;
  }

 private:
  native::NativeOptions options_;
};

Result<native::Isa> choose_isa(const Config& config) {
  if (config.kernels == "ref") {
    if (config.isa == "auto" || config.isa == "scalar") return native::Isa::kScalar;
    return bad(fmt::format("--kernels ref uses no vectors; --isa {} does", config.isa));
  }
  if (config.isa == "auto") return native::best_isa();
  const native::Isa isa = *native::parse_isa(config.isa);  // checked with the configuration
  if (native::isa_supported(isa)) return isa;
  return bad(fmt::format("--isa {}: this CPU has no more than {}", config.isa, native::isa_name(native::best_isa())));
}

native::Switches choose_switches(const Config& config) {
  using native::Switches;
  Switches switches;
  if (config.kernels != "tuned") switches.rows = Switches::Rows::kAlone;
  if (config.attn == "gathered") switches.attention = Switches::Attention::kGathered;
  if (config.attn == "naive") switches.attention = Switches::Attention::kNaive;
  if (config.sample == "seq") switches.sampling = Switches::Sampling::kOneByOne;
  return switches;
}

// Thread i runs on the i-th core. Empty: not pinned, which is also what more threads than cores get.
Result<std::vector<int>> choose_cores(const Config& config, int n_threads) {
  const std::vector<int> allowed = native::allowed_cores();
  if (config.pin == "off") return std::vector<int>();
  if (config.pin == "auto") return static_cast<std::size_t>(n_threads) <= allowed.size() ? allowed : std::vector<int>();
  auto cores = *parse_core_list(config.pin);  // checked with the configuration
  if (cores.size() < static_cast<std::size_t>(n_threads))
    return bad(fmt::format("--pin {} names fewer cores than the {} compute threads", config.pin, n_threads));
  for (const int core : cores) {
    if (std::find(allowed.begin(), allowed.end(), core) == allowed.end())
      return bad(fmt::format("--pin {}: this process may not run on core {}", config.pin, core));
  }
  return cores;
}

// A list of cores without --threads means one thread a core of the list.
int choose_threads(const Config& config) {
  if (config.threads > 0) return config.threads;
  const auto listed = parse_core_list(config.pin);
  return static_cast<int>(std::max<std::size_t>(1, listed ? listed->size() : native::allowed_cores().size()));
}

}  // namespace

Result<std::unique_ptr<Backend>> make_native_backend(const Config& config) {
  if (config.dtype != "auto" && config.dtype != "bf16" && config.dtype != "bfloat16")
    return bad("--dtype " + config.dtype + " needs --backend torch; native computes quantised weights (--compute) and bf16");
  if (config.kv_dtype != "auto" && config.kv_dtype != "bf16" && config.kv_dtype != "bfloat16")
    return bad("--kv-dtype " + config.kv_dtype + " needs --backend torch; native keeps K and V in bf16");
  native::NativeOptions options;
  options.mode = config.compute == "w4a16" ? native::ComputeMode::kW4A16 : native::ComputeMode::kW4A8;
  const auto isa = choose_isa(config);
  if (isa.has_error()) return isa.error();
  options.isa = *isa;
  options.switches = choose_switches(config);
  options.n_threads = choose_threads(config);
  auto cores = choose_cores(config, options.n_threads);
  if (cores.has_error()) return cores.error();
  options.cores = std::move(*cores);
  options.max_rows = config.max_num_batched_tokens;
  options.max_logits = std::min(std::max(config.max_num_seqs, kDraftRows), config.max_num_batched_tokens);
  return std::unique_ptr<Backend>(std::make_unique<NativeBackend>(std::move(options)));
}

}  // namespace mie
