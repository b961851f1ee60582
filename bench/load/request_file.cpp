#include "bench/load/request_file.h"

#include <zlib.h>

#include <array>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

namespace mie::bench {
namespace {

// zlib reads what is not gzipped as it is.
std::optional<std::string> whole_text(const std::filesystem::path& path) {
  const std::unique_ptr<gzFile_s, decltype(&gzclose)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) return {};
  std::string text;
  std::array<char, 1 << 16> piece{};
  for (;;) {
    const int n = gzread(file.get(), piece.data(), static_cast<unsigned>(piece.size()));
    if (n < 0) return {};
    if (n == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(n));
  }
  int cut_short = Z_OK;  // a file that ends too early reads like one that ends
  (void)gzerror(file.get(), &cut_short);
  return cut_short == Z_OK ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace

Result<std::vector<RequestLine>> read_request_file(const std::filesystem::path& path) {
  auto text = whole_text(path);
  if (!text) text = whole_text(path.string() + ".gz");
  if (!text) return Error{Errc::kConfig, path.string() + ": cannot be read", ""};
  std::istringstream in(std::move(*text));
  return read_request_lines(in);
}

}  // namespace mie::bench
