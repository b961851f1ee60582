// The tokenizer that a GGUF file describes (keys tokenizer.ggml.*), as core/text takes it. A pure function; any thread.
#pragma once

#include "core/base/error.h"
#include "core/text/tokenizer.h"

namespace mie {

class GgufFile;

// kModelFormat: a key that is needed is absent, has the wrong type or holds a number that fits no token id or kind.
// Whether the parts fit together is make_tokenizer's check.
Result<TokenizerConfig> tokenizer_config(const GgufFile& file);

}  // namespace mie
