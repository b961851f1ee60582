#include "models/weights/format_error.h"

namespace mie {
namespace {

constexpr std::size_t kMaxQuotedBytes = 80;

std::string printable(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const char c : text.substr(0, kMaxQuotedBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\'' && c != '\\') {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    }
  }
  if (text.size() > kMaxQuotedBytes) out += "...";
  return out;
}

}  // namespace

Error format_error(std::string_view file_name, std::string_view what) {
  return {.code = Errc::kModelFormat, .message = printable(file_name) + ": " + std::string(what)};
}

std::string quote(std::string_view text) { return "'" + printable(text) + "'"; }

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string out = "[";
  for (const auto dim : shape) {
    if (out.size() > 1) out += ", ";
    out += std::to_string(dim);
  }
  return out + "]";
}

}  // namespace mie
