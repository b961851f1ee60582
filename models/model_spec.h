// One decoder described by data. A family (models/families) builds it from GGUF metadata or config.json; each backend's
// forward pass reads it top to bottom and knows no family's name. Value; immutable once built.
#pragma once

#include "core/base/id.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mie {

enum class RopePairing { kHalf, kInterleaved };  // (i, i + d/2) as Hugging Face; (2i, 2i + 1) as the original Llama code
enum class Activation { kSilu, kGeluTanh };

struct RopeSpec {
  double base = 10000;
  RopePairing pairing = RopePairing::kHalf;
  int n_rotary_dims = 0;  // leading dims of a head that rotate; head_dim where all do
};

struct ModelSpec {
  std::string architecture;  // GGUF architecture or HF class, for messages only
  std::string name;          // the model's own name, may be empty
  int n_vocab = 0;
  int n_layers = 0;
  int hidden = 0;
  int n_heads = 0;
  int n_kv_heads = 0;
  int head_dim = 0;
  int ffn_hidden = 0;
  int context_length = 0;
  float norm_eps = 1e-5F;
  RopeSpec rope;
  Activation activation = Activation::kSilu;
  bool tied_embeddings = false;

  // Bytes of K and V of one token over all layers, for an element of `element_bytes`.
  [[nodiscard]] std::int64_t kv_bytes_per_token(int element_bytes) const {
    return std::int64_t{2} * n_layers * n_kv_heads * head_dim * element_bytes;
  }
};

// What a tensor is to the forward pass, whatever its name in the file.
enum class TensorRole {
  kEmbedding,   // [n_vocab, hidden]
  kOutputNorm,  // [hidden]
  kOutput,      // [n_vocab, hidden]; absent when tied
  kAttnNorm,    // [hidden]
  kQ,           // [n_heads * head_dim, hidden]
  kK,           // [n_kv_heads * head_dim, hidden]
  kV,           // [n_kv_heads * head_dim, hidden]
  kAttnOut,     // [hidden, n_heads * head_dim]
  kFfnNorm,     // [hidden]
  kGate,        // [ffn_hidden, hidden]
  kUp,          // [ffn_hidden, hidden]
  kDown,        // [hidden, ffn_hidden]
};

struct TensorSlot {
  TensorRole role;
  int layer = -1;                   // -1: not of a layer
  std::string name;                 // name in the file
  std::vector<std::int64_t> shape;  // [out, in], outermost first
};

// A spec and the tensors it needs, checked against the file: nothing missing, extra or of the wrong shape.
struct ModelPlan {
  ModelSpec spec;
  std::vector<TensorSlot> tensors;
};

}  // namespace mie
