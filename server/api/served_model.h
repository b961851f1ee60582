// The facts about the loaded model that requests are answered with. Built once, when the model has been loaded; immutable
// and shared by every connection from then on. Any thread.
#pragma once

#include "core/base/file_digest.h"
#include "core/base/id.h"
#include "core/text/chat_template.h"
#include "core/text/tokenizer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mie::api {

struct ServedModel {
  std::vector<std::string> names;  // the first is the default
  std::unique_ptr<Tokenizer> tokenizer;
  std::optional<ChatTemplate> chat_template;
  std::vector<TokenId> eos_ids;
  int n_vocab = 0;        // ids that may be sent and sampled
  int max_model_len = 0;  // tokens of prompt and output
  std::string fingerprint;
  std::int64_t created = 0;  // Unix seconds of the load
  bool parse_special_in_content = false;

  // Facts for GET /v1/models/{id} and mie_model_info.
  std::string architecture, weight_format, kv_dtype, backend;
  std::string isa;       // of the native kernels; empty on other backends
  std::string numerics;  // settings of the backend that change output, such as w4a8
  std::int64_t n_params = 0;
  std::shared_ptr<LazyFileDigest> weights_digest;  // null on a fake model; reading the file is for the slow lane
  std::string tokenizer_sha256;                    // of the file's tokenizer.* entries; empty on a fake model
};

}  // namespace mie::api
