// The model's weights as tensors: expanded from their stored format once, at load, and joined where one product can serve
// several of them. Owned by TorchRunner; read-only after loading.
#pragma once

#include "core/base/error.h"
#include "models/model_spec.h"
#include "models/torch/aten.h"
#include "models/torch/open_torch.h"
#include "models/weights/weight_source.h"

#include <vector>

namespace mie {

// Matrices are [out, in] in the compute type, norms fp32.
struct TorchLayer {
  at::Tensor attn_norm;  // [hidden]
  at::Tensor qkv;        // [(n_heads + 2 n_kv_heads) * head_dim, hidden]: rows of Q, then K, then V
  at::Tensor attn_out;   // [hidden, n_heads * head_dim]
  at::Tensor ffn_norm;   // [hidden]
  at::Tensor gate_up;    // [2 * ffn_hidden, hidden]: rows of the gate, then of up
  at::Tensor down;       // [hidden, ffn_hidden]
};

// The two vocabulary matrices stay fp32 whatever the compute type: bf16 logits between 16 and 32 would lie 1/8 apart, and
// near-equal tokens would tie. Tied embeddings share one tensor.
struct TorchWeights {
  at::Tensor embedding;    // [n_vocab, hidden]
  at::Tensor output_norm;  // [hidden]
  at::Tensor output;       // [n_vocab, hidden]
  std::vector<TorchLayer> layers;
};

// `compute`: kFloat or kBFloat16. Takes the expanded size plus 1024 rows of scratch. Error: kModelFormat, when `source`
// lacks a tensor of the plan.
[[nodiscard]] Result<TorchWeights> load_weights(const ModelPlan& plan, const WeightSource& source, at::ScalarType compute,
                                                const LoadProgress& progress);

}  // namespace mie
