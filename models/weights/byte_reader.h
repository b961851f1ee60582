// Cursor over bytes that nobody vouches for. A read past the end returns zeros and makes the reader fail for good, so a
// caller checks once per record, before it uses what it read. Value; any thread.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace mie {

static_assert(std::endian::native == std::endian::little, "model files are little-endian and read in place");

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
    requires std::integral<T> || std::floating_point<T>
  T number() {
    T value{};
    const auto raw = take(sizeof(T));
    if (raw.size() == sizeof(T)) std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }

  // The next n bytes, or nothing when fewer are left.
  std::span<const std::byte> take(std::uint64_t n) {
    if (failed_ || n > remaining()) {
      failed_ = true;
      return {};
    }
    const auto taken = bytes_.subspan(position_, static_cast<std::size_t>(n));
    position_ += taken.size();
    return taken;
  }

  // A string: its length as 64 bits, then its bytes.
  std::string_view string() {
    const auto raw = take(number<std::uint64_t>());
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::size_t remaining() const { return bytes_.size() - position_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;  // ≤ bytes_.size()
  bool failed_ = false;
};

}  // namespace mie
