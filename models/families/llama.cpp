#include "models/families/llama.h"

#include "models/weights/format_error.h"

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace mie {
namespace {

// Reads many keys and remembers the first failure, so that a spec reads as a list.
class KeyReader {
 public:
  explicit KeyReader(const GgufFile& file) : file_(file) {}

  int integer(std::string_view key) { return narrow(key, file_.metadata().integer(key)); }
  int integer_or(std::string_view key, int fallback) { return narrow(key, file_.metadata().integer_or(key, fallback)); }
  double real(std::string_view key) { return keep(file_.metadata().real(key)); }
  double real_or(std::string_view key, double fallback) { return keep(file_.metadata().real_or(key, fallback)); }
  std::string text_or(std::string_view key, std::string_view fallback) {
    return std::string(keep(file_.metadata().string_or(key, fallback)));
  }
  void refuse(std::string_view key, std::string_view value) {
    fail(format_error(file_.file_name(), "metadata " + quote(key) + " is " + std::string(value) + ", which is not supported"));
  }

  [[nodiscard]] Result<void> status() const {
    if (failed_) return first_error_;
    return {};
  }

 private:
  template <class T>
  T keep(const Result<T>& value) {
    if (value) return *value;
    fail(value.error());
    return {};
  }
  int narrow(std::string_view key, const Result<std::int64_t>& value) {
    const auto wide = keep(value);
    if (std::in_range<int>(wide)) return static_cast<int>(wide);
    refuse(key, std::to_string(wide));
    return 0;
  }
  void fail(Error error) {
    if (!failed_) first_error_ = std::move(error);
    failed_ = true;
  }

  const GgufFile& file_;
  Error first_error_;
  bool failed_ = false;
};

// What would change the arithmetic: refused until the forward pass does it.
void refuse_unsupported(KeyReader& keys, const GgufFile& file) {
  if (const auto type = keys.text_or("llama.rope.scaling.type", "none"); type != "none") {
    keys.refuse("llama.rope.scaling.type", quote(type));
  }
  // Without a type a factor means linear scaling; 0 and 1 mean none.
  constexpr std::array<std::string_view, 2> kFactors = {"llama.rope.scaling.factor", "llama.rope.scale_linear"};
  for (const auto key : kFactors) {
    if (const double factor = keys.real_or(key, 1); factor != 0 && factor != 1) keys.refuse(key, std::to_string(factor));
  }
  if (const int n_experts = keys.integer_or("llama.expert_count", 0); n_experts != 0) {
    keys.refuse("llama.expert_count", std::to_string(n_experts));
  }
  constexpr std::array<std::string_view, 8> kForeign = {
      "llama.attention.scale",  "llama.attention.clamp_kqv",    "llama.attention.sliding_window",
      "llama.attention.causal", "llama.embedding_scale",        "llama.residual_scale",
      "llama.logit_scale",      "llama.final_logit_softcapping"};
  for (const auto key : kForeign) {
    if (file.metadata().contains(key)) keys.refuse(key, "present");
  }
}

TensorSlot slot(TensorRole role, std::string name, std::vector<std::int64_t> shape) {
  return {.role = role, .name = std::move(name), .shape = std::move(shape)};
}

}  // namespace

Result<ModelSpec> llama_spec(const GgufFile& file) {
  KeyReader keys(file);
  ModelSpec spec;
  spec.architecture = "llama";
  spec.name = keys.text_or("general.name", "");
  spec.n_layers = keys.integer("llama.block_count");
  spec.hidden = keys.integer("llama.embedding_length");
  spec.ffn_hidden = keys.integer("llama.feed_forward_length");
  spec.context_length = keys.integer("llama.context_length");
  spec.n_heads = keys.integer("llama.attention.head_count");
  spec.n_kv_heads = keys.integer_or("llama.attention.head_count_kv", spec.n_heads);
  spec.head_dim = keys.integer_or("llama.attention.key_length", spec.n_heads > 0 ? spec.hidden / spec.n_heads : 0);
  if (const int value_dim = keys.integer_or("llama.attention.value_length", spec.head_dim); value_dim != spec.head_dim) {
    keys.refuse("llama.attention.value_length", std::to_string(value_dim) + " with keys of " + std::to_string(spec.head_dim));
  }
  spec.norm_eps = static_cast<float>(keys.real("llama.attention.layer_norm_rms_epsilon"));
  spec.rope.base = keys.real_or("llama.rope.freq_base", 10000);
  spec.rope.n_rotary_dims = keys.integer_or("llama.rope.dimension_count", spec.head_dim);
  // Conversion to GGUF reorders the rows of Q and K of this architecture for the pairing of the original Llama code.
  spec.rope.pairing = RopePairing::kInterleaved;
  spec.activation = Activation::kSilu;
  spec.tied_embeddings = file.find("output.weight") == nullptr;
  refuse_unsupported(keys, file);
  if (auto status = keys.status(); !status) return status.error();

  const TensorView* const embedding = file.find("token_embd.weight");
  if (embedding == nullptr) return format_error(file.file_name(), "tensor 'token_embd.weight' is missing");
  if (!std::in_range<int>(embedding->shape.front()))
    return format_error(file.file_name(), "tensor 'token_embd.weight' is too large");
  spec.n_vocab = static_cast<int>(embedding->shape.front());
  return spec;
}

std::vector<TensorSlot> llama_tensors(const ModelSpec& spec) {
  const std::int64_t q_rows = std::int64_t{spec.n_heads} * spec.head_dim;
  const std::int64_t kv_rows = std::int64_t{spec.n_kv_heads} * spec.head_dim;
  std::vector<TensorSlot> slots;
  slots.push_back(slot(TensorRole::kEmbedding, "token_embd.weight", {spec.n_vocab, spec.hidden}));
  for (int layer = 0; layer < spec.n_layers; ++layer) {
    const auto add = [&](TensorRole role, std::string_view part, std::vector<std::int64_t> shape) {
      auto name = "blk." + std::to_string(layer) + "." + std::string(part) + ".weight";
      slots.push_back(slot(role, std::move(name), std::move(shape)));
      slots.back().layer = layer;
    };
    add(TensorRole::kAttnNorm, "attn_norm", {spec.hidden});
    add(TensorRole::kQ, "attn_q", {q_rows, spec.hidden});
    add(TensorRole::kK, "attn_k", {kv_rows, spec.hidden});
    add(TensorRole::kV, "attn_v", {kv_rows, spec.hidden});
    add(TensorRole::kAttnOut, "attn_output", {spec.hidden, q_rows});
    add(TensorRole::kFfnNorm, "ffn_norm", {spec.hidden});
    add(TensorRole::kGate, "ffn_gate", {spec.ffn_hidden, spec.hidden});
    add(TensorRole::kUp, "ffn_up", {spec.ffn_hidden, spec.hidden});
    add(TensorRole::kDown, "ffn_down", {spec.hidden, spec.ffn_hidden});
  }
  slots.push_back(slot(TensorRole::kOutputNorm, "output_norm.weight", {spec.hidden}));
  if (!spec.tied_embeddings) slots.push_back(slot(TensorRole::kOutput, "output.weight", {spec.n_vocab, spec.hidden}));
  return slots;
}

}  // namespace mie
