#include "server/api/echoed_prompt.h"

#include "core/text/detokenizer.h"
#include "server/api/choice_text.h"

#include <string_view>
#include <utility>

namespace mie::api {
namespace {

// A character counts with the token that completes it, as in generated text.
class Writer {
 public:
  void token(std::string_view bytes) {
    echo_.offsets.push_back(n_chars_);
    const std::string text = detokenizer_.push(bytes);
    n_chars_ += count_code_points(text);
    echo_.text += text;
  }
  EchoedPrompt take() {
    echo_.text += detokenizer_.finish();
    return std::move(echo_);
  }

 private:
  Detokenizer detokenizer_;
  EchoedPrompt echo_;
  std::int64_t n_chars_ = 0;
};

}  // namespace

EchoedPrompt echo_of_ids(const Tokenizer& tokenizer, std::span<const TokenId> ids, bool skip_special) {
  Writer echo;
  for (const TokenId id : ids)
    echo.token(skip_special && tokenizer.special(id) ? std::string_view{} : tokenizer.token_bytes(id));
  return echo.take();
}

EchoedPrompt echo_of_text(const Tokenizer& tokenizer, std::string text, std::span<const TokenId> ids, TextTokens made_of_text) {
  Writer writer;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool added = i < made_of_text.first || i - made_of_text.first >= made_of_text.n;
    writer.token(added ? std::string_view{} : tokenizer.token_bytes(ids[i]));
  }
  EchoedPrompt echo = writer.take();
  echo.text = std::move(text);
  return echo;
}

}  // namespace mie::api
