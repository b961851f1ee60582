// SHA-256 in lower-case hexadecimal, so that a figure or a model names the bytes that it belongs to. Any thread.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <utility>

namespace mie {

[[nodiscard]] std::string sha256_of(std::span<const std::byte> bytes);

// Error kConfig: the file cannot be read.
Result<std::string> sha256_of_file(const std::string& path);

// The digest of a file that is read when it is first asked for, which takes seconds a gigabyte.
class LazyFileDigest {
 public:
  explicit LazyFileDigest(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] const std::string& get();  // empty: the file cannot be read

 private:
  std::string path_, digest_;
  std::once_flag read_;
};

}  // namespace mie
