#include "server/fake_model.h"

#include "core/text/byte_alphabet.h"

#include <array>

namespace mie {
namespace {

// The n-th invented word: n in base 70, a consonant and a vowel for each digit.
std::string word(int n) {
  static constexpr std::string_view kConsonants = "bdfghklmnprstv";
  static constexpr std::string_view kVowels = "aeiou";
  std::string out;
  do {
    const auto digit = static_cast<std::size_t>(n % 70);
    (out += kConsonants[digit / kVowels.size()]) += kVowels[digit % kVowels.size()];
    n /= 70;
  } while (n > 0);
  return out;
}

}  // namespace

TokenizerConfig fake_tokenizer_config(int n_vocab, TokenId eos) {
  const ByteAlphabet alphabet;
  TokenizerConfig config;
  config.model = "gpt2";
  config.pre_tokenizer = "smollm";
  config.eos_ids = {eos};
  for (const char* control : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}) config.tokens.emplace_back(control);
  config.kinds.assign(config.tokens.size(), TokenKind::kControl);
  for (int byte = 0; byte < 256; ++byte) config.tokens.push_back(alphabet.letter(static_cast<unsigned char>(byte)));
  for (int n = 0; config.tokens.size() < static_cast<std::size_t>(n_vocab); ++n) {
    config.tokens.push_back(alphabet.letter(' ') + word(n));
  }
  config.kinds.resize(config.tokens.size(), TokenKind::kNormal);
  return config;
}

std::string_view fake_chat_template() {
  return "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' "
         "}}"
         "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
}

}  // namespace mie
