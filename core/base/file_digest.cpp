#include "core/base/file_digest.h"

#include <sys/types.h>

#include <sha2.h>

#include <array>

namespace mie {

std::string sha256_of(std::span<const std::byte> bytes) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digest{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), digest.data());
  return digest.data();
}

Result<std::string> sha256_of_file(const std::string& path) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digest{};
  if (SHA256File(path.c_str(), digest.data()) == nullptr) return Error{Errc::kConfig, "cannot read " + path, ""};
  return std::string(digest.data());
}

const std::string& LazyFileDigest::get() {
  std::call_once(read_, [this] {
    if (auto digest = sha256_of_file(path_)) digest_ = std::move(*digest);
  });
  return digest_;
}

}  // namespace mie
