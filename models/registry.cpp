#include "models/registry.h"

#include "models/families/llama.h"
#include "models/weights/format_error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace mie {
namespace {

constexpr std::array<Family, 1> kFamilies = {{
    {"LlamaForCausalLM", "llama", llama_spec, llama_tensors},
}};

// Above anything published, and low enough that no product of them wraps in 64 bits.
constexpr int kMaxLayers = 1024;
constexpr int kMaxWidth = 1 << 20;  // hidden, ffn_hidden, heads * head_dim
constexpr int kMaxHeads = 4096;
constexpr int kMaxHeadDim = 4096;
constexpr int kMaxVocab = 1 << 24;
constexpr int kMaxContext = 1 << 28;

struct Bound {
  std::string_view what;
  std::int64_t value;
  std::int64_t max;
};

Result<const Family*> family_of(const GgufFile& file) {
  const auto name = file.metadata().string("general.architecture");
  if (!name) return name.error();
  const auto found = std::ranges::find(kFamilies, *name, &Family::gguf_architecture);
  if (found == kFamilies.end()) return format_error(file.file_name(), "architecture " + quote(*name) + " is not supported");
  return &*found;
}

// Rows past the tokens are padding and legal; tokens without a row are not.
Result<void> check_vocabulary(const ModelSpec& spec, const GgufFile& file) {
  constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
  if (!file.metadata().contains(kTokens)) return {};
  const auto tokens = file.metadata().strings(kTokens);
  if (!tokens) return tokens.error();
  if (tokens->size() <= static_cast<std::size_t>(spec.n_vocab)) return {};
  return format_error(file.file_name(),
                      "has " + std::to_string(tokens->size()) + " tokens but embeds " + std::to_string(spec.n_vocab));
}

}  // namespace

std::span<const Family> families() { return kFamilies; }

Result<ModelPlan> plan_model(const GgufFile& file) {
  const auto n_parts = file.metadata().integer_or("split.count", 1);
  if (!n_parts) return n_parts.error();
  if (*n_parts > 1) return format_error(file.file_name(), "is one of " + std::to_string(*n_parts) + " parts of a split model");
  const auto family = family_of(file);
  if (!family) return family.error();
  auto spec = (*family)->spec(file);
  if (!spec) return spec.error();
  if (auto checked = check_spec(*spec, file.file_name()); !checked) return checked.error();
  if (auto checked = check_vocabulary(*spec, file); !checked) return checked.error();
  ModelPlan plan{.spec = std::move(*spec), .tensors = {}};
  plan.tensors = (*family)->tensors(plan.spec);
  if (auto checked = check_tensors(plan.tensors, file, file.file_name()); !checked) return checked.error();
  return plan;
}

Result<void> check_spec(const ModelSpec& spec, std::string_view file_name) {
  const std::int64_t q_width = std::int64_t{spec.n_heads} * spec.head_dim;
  const std::array<Bound, 10> bounds = {{{"number of layers", spec.n_layers, kMaxLayers},
                                         {"hidden size", spec.hidden, kMaxWidth},
                                         {"feed-forward size", spec.ffn_hidden, kMaxWidth},
                                         {"number of heads", spec.n_heads, kMaxHeads},
                                         {"number of KV heads", spec.n_kv_heads, kMaxHeads},
                                         {"head size", spec.head_dim, kMaxHeadDim},
                                         {"width of all heads", q_width, kMaxWidth},
                                         {"vocabulary size", spec.n_vocab, kMaxVocab},
                                         {"context length", spec.context_length, kMaxContext},
                                         {"number of rotary dimensions", spec.rope.n_rotary_dims, spec.head_dim}}};
  const auto refuse = [&](const std::string& what) { return format_error(file_name, what); };
  for (const auto& [what, value, max] : bounds) {
    if (value >= 1 && value <= max) continue;
    return refuse(std::string(what) + " is " + std::to_string(value) + "; 1 to " + std::to_string(max) + " is expected");
  }
  if (spec.head_dim % 2 != 0) return refuse("head size " + std::to_string(spec.head_dim) + " is odd");
  if (spec.rope.n_rotary_dims % 2 != 0) return refuse("number of rotary dimensions is odd");
  if (spec.n_heads % spec.n_kv_heads != 0) {
    return refuse(std::to_string(spec.n_heads) + " heads do not share " + std::to_string(spec.n_kv_heads) + " KV heads evenly");
  }
  if (!(spec.norm_eps >= 0 && spec.norm_eps < 1)) return refuse("norm epsilon is out of range");
  if (!(spec.rope.base >= 1 && std::isfinite(spec.rope.base))) return refuse("rotary base is out of range");
  return {};
}

Result<void> check_tensors(std::span<const TensorSlot> slots, const WeightSource& source, std::string_view file_name) {
  for (const TensorSlot& slot : slots) {
    const TensorView* const tensor = source.find(slot.name);
    if (tensor == nullptr) return format_error(file_name, "tensor " + quote(slot.name) + " is missing");
    if (tensor->shape == slot.shape) continue;
    return format_error(file_name, "tensor " + quote(slot.name) + " has shape " + shape_text(tensor->shape) + " where " +
                                       shape_text(slot.shape) + " is expected");
  }
  if (source.tensors().size() == slots.size()) return {};
  std::vector<std::string_view> wanted(slots.size());
  std::ranges::transform(slots, wanted.begin(), [](const TensorSlot& slot) -> std::string_view { return slot.name; });
  std::ranges::sort(wanted);
  for (const TensorView& tensor : source.tensors()) {
    if (std::ranges::binary_search(wanted, std::string_view(tensor.name))) continue;
    return format_error(file_name, "tensor " + quote(tensor.name) + " is not known to this architecture");
  }
  return {};
}

}  // namespace mie
