// A whole file mapped read-only. Move-only value; the bytes stay where they are when it moves. Any thread.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

namespace mie {

class MappedFile {
 public:
  MappedFile() = default;
  // Messages name the file without its folder. Anything but a regular file is refused.
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

  // Tells the kernel that the pages are not needed now: resident memory falls, the next read maps them again from the
  // page cache or the disk.
  void drop_resident_pages() const noexcept;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace mie
