// An answer's JSON, read by pointers. Throws where it is not JSON or has no such member. Test code.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mie::test {

class Json {
 public:
  explicit Json(const std::string& text) : padded_(text) {
    if (parser_.parse(padded_).get(root) != simdjson::SUCCESS) throw std::runtime_error("not JSON: " + text);
  }
  simdjson::dom::element root;

  std::string text(const char* pointer) { return std::string(std::string_view(root.at_pointer(pointer))); }
  std::int64_t number(const char* pointer) { return root.at_pointer(pointer); }
  bool null(const char* pointer) { return root.at_pointer(pointer).is_null(); }
  bool has(const char* pointer) { return root.at_pointer(pointer).error() == simdjson::SUCCESS; }

 private:
  simdjson::padded_string padded_;
  simdjson::dom::parser parser_;
};

}  // namespace mie::test
