// tokenize_cli MODEL.gguf: for each line of base64 on standard input, the token ids of its bytes on one line.
#include "core/text/tokenizer.h"
#include "models/weights/gguf.h"
#include "server/model/gguf_tokenizer.h"
#include "tests/text/base64.h"

#include <iostream>
#include <memory>
#include <string>

namespace {

mie::Result<std::unique_ptr<mie::Tokenizer>> load(const char* path) {
  const auto file = mie::GgufFile::open(path);
  if (!file) return file.error();
  auto config = mie::tokenizer_config(**file);
  if (!config) return config.error();
  return mie::make_tokenizer(std::move(*config));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: tokenize_cli MODEL.gguf < lines-of-base64\n";
    return 2;
  }
  const auto tokenizer = load(argv[1]);
  if (!tokenizer) {
    std::cerr << tokenizer.error().message << '\n';
    return 2;
  }
  for (std::string line; std::getline(std::cin, line);) {
    std::string_view separator;
    for (const mie::TokenId id : (*tokenizer)->encode(mie::test::from_base64(line))) {
      std::cout << separator << id;
      separator = " ";
    }
    std::cout << '\n';
  }
}
