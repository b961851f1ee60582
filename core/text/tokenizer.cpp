#include "core/text/tokenizer.h"

#include "core/text/bpe_tokenizer.h"
#include "core/text/quoted_name.h"

#include <utility>

namespace mie {

Result<std::unique_ptr<Tokenizer>> make_tokenizer(TokenizerConfig config) {
  if (config.model == "gpt2") return BpeTokenizer::make(std::move(config));
  return Error{Errc::kModelFormat, "tokenizer model " + quoted_name(config.model) + " is not supported"};
}

}  // namespace mie
