// Writes GGUF bytes for tests: well-formed ones by default, and with each header field open to be wrong. Test code.
#pragma once

#include "models/weights/quant_format.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mie::test {

class GgufBuilder {
 public:
  std::uint32_t magic = 0x46554747;
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;  // of the layout; `general.alignment` is written by whoever changes it

  void u32(std::string_view key, std::uint32_t value);
  void i32(std::string_view key, std::int32_t value);
  void u64(std::string_view key, std::uint64_t value);
  void f32(std::string_view key, float value);
  void boolean(std::string_view key, bool value);
  void text(std::string_view key, std::string_view value);
  void texts(std::string_view key, std::span<const std::string> values);
  void i32s(std::string_view key, std::span<const std::int32_t> values);
  void f32s(std::string_view key, std::span<const float> values);
  // A value of any type number with any bytes behind it.
  void raw(std::string_view key, std::uint32_t type, std::span<const std::byte> value);
  void erase(std::string_view key);
  void rename(std::string_view key, std::string_view to);

  // Shape outermost first, as TensorView.
  void tensor(std::string_view name, QuantFormat format, std::vector<std::int64_t> shape, std::vector<std::byte> bytes);

  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> dims;  // innermost first, as the file has them
    std::uint32_t type = 0;
    std::vector<std::byte> bytes;
    std::int64_t offset_shift = 0;  // added to the right offset
  };
  [[nodiscard]] Tensor& find(std::string_view name);
  [[nodiscard]] std::vector<Tensor>& tensors() { return tensors_; }

  [[nodiscard]] std::vector<std::byte> bytes() const;
  // Where the tensor region starts in bytes().
  [[nodiscard]] std::size_t header_bytes() const;

 private:
  struct Entry {
    std::string key;
    std::uint32_t type;
    std::vector<std::byte> value;
  };
  [[nodiscard]] std::vector<std::byte> header() const;

  std::vector<Entry> entries_;
  std::vector<Tensor> tensors_;
};

}  // namespace mie::test
