#include "server/model_loader.h"

#include "core/base/build_info.h"
#include "core/base/log.h"
#include "models/fake_runner.h"
#include "models/registry.h"
#include "models/weights/gguf.h"
#include "server/backend.h"
#include "server/fake_model.h"
#include "server/kv_budget.h"
#include "server/model/gguf_tokenizer.h"
#include "server/self_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

namespace mie {
namespace {

constexpr std::string_view kFakePrefix = "fake:";
constexpr int kFakeContext = 8192;

Error bad(std::string message) { return {Errc::kConfig, std::move(message), ""}; }

// Times one phase of the load.
class Phases {
 public:
  Phases(const Clock& clock, const LoadPhases& report) : clock_(clock), report_(report), since_(clock.now()) {}
  void done(std::string_view phase) {
    const auto now = clock_.now();
    report_(phase, std::chrono::duration<double>(now - since_).count());
    since_ = now;
  }

 private:
  const Clock& clock_;
  const LoadPhases& report_;
  Clock::time_point since_;
};

std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream items(list);
  for (std::string name; std::getline(items, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

// FNV-1a over what decides the output: equal fingerprints give equal greedy tokens.
std::string fingerprint(const std::string& facts) {
  std::uint32_t hash = 2166136261U;
  for (const char c : facts) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return fmt::format("mie-{}-{:08x}", build_info().version, hash);
}

Result<std::string> template_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return bad("--chat-template: cannot read " + path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string written_token(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  return ids.empty() ? std::string() : std::string(tokenizer.token_bytes(ids.front()));
}

// `own`: the model's template, empty for none.
std::optional<Error> set_template(const Config& config, std::string own, api::ServedModel& served) {
  if (config.chat_template == "none") return {};
  if (!config.chat_template.empty()) {
    auto text = template_file(config.chat_template);
    if (text.has_error()) return text.error();
    own = *std::move(text);
  }
  if (own.empty()) return {};
  const Tokenizer& tokenizer = *served.tokenizer;
  auto parsed = ChatTemplate::parse(std::move(own), written_token(tokenizer, tokenizer.config().bos_id),
                                    written_token(tokenizer, tokenizer.config().eos_ids));
  if (parsed.has_error()) return parsed.error();
  served.chat_template = std::move(*parsed);
  return {};
}

void set_names(const Config& config, const std::string& own, api::ServedModel& served) {
  served.names = split_names(config.served_model_name);
  if (served.names.empty()) served.names = {own.empty() ? "model" : own};
}

void note_lowered(const KvBudgetPlan& kv, int context_length) {
  if (!kv.lowered) return;
  logger("model")->warn("max_model_len={} lowered_from={} reason=\"the KV cache holds no more; see --kv-cache-memory\"",
                        kv.max_model_len, context_length);
}

Result<LoadedModel> load_fake(const Config& config, Phases& phases) {
  auto options = parse_fake_spec(config.model);
  if (options.has_error()) return options.error();
  if (options->n_vocab < kFakeMinVocab)
    return bad(fmt::format("--model {}: vocab must be at least {}", config.model, kFakeMinVocab));
  if (!options->eos) options->eos = kFakeEos;
  if (options->eos->value() >= options->n_vocab) return bad("--model " + config.model + ": eos must be below vocab");
  LoadedModel model;
  auto tokenizer = make_tokenizer(fake_tokenizer_config(options->n_vocab, *options->eos));
  if (tokenizer.has_error()) return tokenizer.error();
  model.served.tokenizer = std::move(*tokenizer);
  if (auto error = set_template(config, std::string(fake_chat_template()), model.served)) return *std::move(error);
  phases.done("open");
  const PageLayout shape{.n_layers = 1, .n_kv_heads = 1, .head_dim = 1, .element_bytes = 2};  // a token id a slot
  const auto kv = plan_kv(config, kFakeContext, shape, KvTouch::kAtStart, available_memory_bytes());
  if (kv.has_error()) return kv.error();
  note_lowered(*kv, kFakeContext);
  set_names(config, "fake", model.served);
  model.served.backend = "fake";
  model.served.architecture = "fake";
  model.served.weight_format = model.served.kv_dtype = "none";
  model.served.n_vocab = options->n_vocab;
  model.served.max_model_len = kv->max_model_len;
  model.n_blocks = kv->n_blocks;
  model.block_size = kv->block_size;
  model.runner = std::make_unique<FakeRunner>(*std::move(options), kv->n_blocks, kv->block_size);
  phases.done("kv");
  return model;
}

// The format that most of the bytes are in.
std::string main_format(const WeightSource& weights) {
  std::map<QuantFormat, std::size_t> bytes;
  for (const TensorView& tensor : weights.tensors()) bytes[tensor.format] += tensor.bytes.size();
  const auto most =
      std::max_element(bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == bytes.end() ? "none" : std::string(format_info(most->first).name);
}

std::int64_t n_params(const WeightSource& weights) {
  std::int64_t n = 0;
  for (const TensorView& tensor : weights.tensors()) n += tensor.n_elements();
  return n;
}

LoadProgress progress_lines() {
  return [last = -10](std::int64_t done, std::int64_t total) mutable {
    const int percent = total > 0 ? static_cast<int>(100 * done / total) : 100;
    if (percent < last + 10) return;
    last = percent;
    logger("model")->info("load percent={} bytes={}", percent, done);
  };
}

// Keys with their lengths, so that no two files run together.
std::string tokenizer_digest(const GgufFile& file) {
  std::string bytes;
  for (const auto& [key, value] : file.metadata().raw_entries("tokenizer.")) {
    bytes += fmt::format("{} {}\n", key, value.size());
    bytes.append(reinterpret_cast<const char*>(value.data()), value.size());
  }
  return sha256_of(std::as_bytes(std::span(bytes)));
}

// What describes the model but needs no memory: plan, tokenizer, template, names.
Result<ModelPlan> describe_gguf(const Config& config, const GgufFile& file, api::ServedModel& served) {
  auto plan = plan_model(file);
  if (plan.has_error()) return plan.error();
  auto tokens = tokenizer_config(file);
  if (tokens.has_error()) return tokens.error();
  auto tokenizer = make_tokenizer(std::move(*tokens));
  if (tokenizer.has_error()) return bad(file.file_name() + ": " + tokenizer.error().message);
  served.tokenizer = std::move(*tokenizer);
  const auto own_template = file.metadata().string_or("tokenizer.chat_template", "");
  if (own_template.has_error()) return own_template.error();
  if (auto error = set_template(config, std::string(*own_template), served))
    return bad(file.file_name() + ": " + error->message);
  set_names(config, plan->spec.name.empty() ? std::filesystem::path(config.model).stem().string() : plan->spec.name, served);
  served.architecture = plan->spec.architecture;
  served.weight_format = main_format(file);
  served.weights_digest = std::make_shared<LazyFileDigest>(config.model);
  served.tokenizer_sha256 = tokenizer_digest(file);
  served.n_params = n_params(file);
  served.n_vocab = std::min(plan->spec.n_vocab, served.tokenizer->n_vocab());
  return plan;
}

Result<KvBudgetPlan> plan_cache(const Config& config, const ModelSpec& spec, const Backend& backend,
                                std::int64_t weight_bytes) {
  const PageLayout shape{.n_layers = spec.n_layers,
                         .n_kv_heads = spec.n_kv_heads,
                         .head_dim = spec.head_dim,
                         .element_bytes = backend.kv_element_bytes()};
  const std::int64_t left = std::max<std::int64_t>(0, available_memory_bytes() - weight_bytes);
  auto kv = plan_kv(config, spec.context_length, shape, backend.kv_touch(), left);
  if (kv.has_value()) note_lowered(*kv, spec.context_length);
  return kv;
}

Result<LoadedModel> load_gguf(const Config& config, Phases& phases, LayerTap* tap) {
  auto backend = make_backend(config);
  if (backend.has_error()) return backend.error();
  auto file = GgufFile::open(config.model);
  if (file.has_error()) return file.error();
  LoadedModel model;
  auto plan = describe_gguf(config, **file, model.served);
  if (plan.has_error()) return plan.error();
  phases.done("open");
  const auto kv = plan_cache(config, plan->spec, **backend, (*backend)->weight_bytes(**file));
  if (kv.has_error()) return kv.error();
  model.n_blocks = kv->n_blocks;
  model.block_size = kv->block_size;
  auto runner = (*backend)->open({*plan, **file, *kv, model.served.n_vocab, tap}, progress_lines());
  if (runner.has_error()) return runner.error();
  model.runner = std::move(*runner);
  model.served.backend = (*backend)->name();
  model.served.isa = (*backend)->isa();
  model.served.numerics = (*backend)->numerics();
  model.served.kv_dtype = (*backend)->kv_element_bytes() == 2 ? "bf16" : "fp32";
  model.served.max_model_len = kv->max_model_len;
  phases.done("pack");
  return model;
}

}  // namespace

Result<LoadedModel> load_model(const Config& config, const Clock& clock, const LoadPhases& phase, LayerTap* tap) {
  Phases phases(clock, phase);
  auto model = config.model.starts_with(kFakePrefix) ? load_fake(config, phases) : load_gguf(config, phases, tap);
  if (model.has_error()) return model;
  api::ServedModel& served = model->served;
  served.eos_ids = served.tokenizer->config().eos_ids;
  served.created = clock.unix_seconds();
  served.parse_special_in_content = config.parse_special_in_content;
  served.fingerprint = fingerprint(fmt::format("{}|{}|{}|{}|{}|{}|{}", config.model, served.architecture, served.n_params,
                                               served.backend, served.isa, served.numerics, served.kv_dtype));
  if (auto error = self_check(*model, config, clock)) return *std::move(error);
  phases.done("self_check");
  return model;
}

}  // namespace mie
