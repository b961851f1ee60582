// What the lexer hands to the parser. Values; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace mie::jinja {

enum class TokenType {
  kText,           // outside of tags, white space control already applied
  kVariableBegin,  // {{
  kVariableEnd,    // }}
  kBlockBegin,     // {%
  kBlockEnd,       // %}
  kName,           // keywords too
  kString,
  kInteger,
  kReal,
  kOperator,
  kEnd,
};

struct Token {
  TokenType type = TokenType::kEnd;
  int line = 1;              // from 1
  std::string text{};        // kText, kString: the characters meant; kName, kOperator: as written
  std::int64_t integer = 0;  // kInteger
  double real = 0;           // kReal
};

}  // namespace mie::jinja
