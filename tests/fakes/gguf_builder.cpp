#include "tests/fakes/gguf_builder.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace mie::test {
namespace {

constexpr std::uint32_t kArray = 9;

template <class T>
void put(std::vector<std::byte>& out, const T& value) {
  std::array<std::byte, sizeof(T)> raw{};
  std::memcpy(raw.data(), &value, sizeof(T));
  out.insert(out.end(), raw.begin(), raw.end());
}

void put_text(std::vector<std::byte>& out, std::string_view text) {
  put(out, std::uint64_t{text.size()});
  const auto raw = std::as_bytes(std::span(text));
  out.insert(out.end(), raw.begin(), raw.end());
}

void pad(std::vector<std::byte>& out, std::uint64_t alignment) {
  while (out.size() % alignment != 0) out.push_back(std::byte{0});
}

template <class T>
std::vector<std::byte> scalar(const T& value) {
  std::vector<std::byte> out;
  put(out, value);
  return out;
}

template <class T>
std::vector<std::byte> array(std::uint32_t type, std::span<const T> values) {
  std::vector<std::byte> out;
  put(out, type);
  put(out, std::uint64_t{values.size()});
  for (const T& value : values) put(out, value);
  return out;
}

std::uint32_t ggml_type(QuantFormat format) {
  switch (format) {
    case QuantFormat::kF32:
      return 0;
    case QuantFormat::kF16:
      return 1;
    case QuantFormat::kQ4_0:
      return 2;
    case QuantFormat::kQ4_1:
      return 3;
    case QuantFormat::kQ8_0:
      return 8;
    case QuantFormat::kBF16:
      return 30;
  }
  return 0;
}

}  // namespace

void GgufBuilder::u32(std::string_view key, std::uint32_t value) { raw(key, 4, scalar(value)); }
void GgufBuilder::i32(std::string_view key, std::int32_t value) { raw(key, 5, scalar(value)); }
void GgufBuilder::f32(std::string_view key, float value) { raw(key, 6, scalar(value)); }
void GgufBuilder::boolean(std::string_view key, bool value) { raw(key, 7, scalar(value)); }
void GgufBuilder::u64(std::string_view key, std::uint64_t value) { raw(key, 10, scalar(value)); }
void GgufBuilder::i32s(std::string_view key, std::span<const std::int32_t> values) { raw(key, kArray, array(5, values)); }
void GgufBuilder::f32s(std::string_view key, std::span<const float> values) { raw(key, kArray, array(6, values)); }

void GgufBuilder::text(std::string_view key, std::string_view value) {
  std::vector<std::byte> out;
  put_text(out, value);
  raw(key, 8, out);
}

void GgufBuilder::texts(std::string_view key, std::span<const std::string> values) {
  std::vector<std::byte> out;
  put(out, std::uint32_t{8});
  put(out, std::uint64_t{values.size()});
  for (const auto& value : values) put_text(out, value);
  raw(key, kArray, out);
}

// A key that is there already is replaced.
void GgufBuilder::raw(std::string_view key, std::uint32_t type, std::span<const std::byte> value) {
  Entry entry{.key = std::string(key), .type = type, .value = {value.begin(), value.end()}};
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  if (found != entries_.end()) {
    *found = std::move(entry);
  } else {
    entries_.push_back(std::move(entry));
  }
}

void GgufBuilder::erase(std::string_view key) {
  std::erase_if(entries_, [=](const Entry& entry) { return entry.key == key; });
}

void GgufBuilder::rename(std::string_view key, std::string_view to) {
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  ENSURE(found != entries_.end(), "the key is there");
  found->key = to;
}

void GgufBuilder::tensor(std::string_view name, QuantFormat format, std::vector<std::int64_t> shape,
                         std::vector<std::byte> bytes) {
  Tensor tensor{.name = std::string(name), .dims = {}, .type = ggml_type(format), .bytes = std::move(bytes)};
  for (auto dim = shape.rbegin(); dim != shape.rend(); ++dim) tensor.dims.push_back(static_cast<std::uint64_t>(*dim));
  tensors_.push_back(std::move(tensor));
}

GgufBuilder::Tensor& GgufBuilder::find(std::string_view name) {
  const auto found = std::ranges::find(tensors_, name, &Tensor::name);
  ENSURE(found != tensors_.end(), "the tensor is there");
  return *found;
}

std::vector<std::byte> GgufBuilder::header() const {
  std::vector<std::byte> out;
  put(out, magic);
  put(out, version);
  put(out, std::uint64_t{tensors_.size()});
  put(out, std::uint64_t{entries_.size()});
  for (const Entry& entry : entries_) {
    put_text(out, entry.key);
    put(out, entry.type);
    out.insert(out.end(), entry.value.begin(), entry.value.end());
  }
  std::uint64_t offset = 0;
  for (const Tensor& tensor : tensors_) {
    put_text(out, tensor.name);
    put(out, static_cast<std::uint32_t>(tensor.dims.size()));
    for (const auto dim : tensor.dims) put(out, dim);
    put(out, tensor.type);
    put(out, offset + static_cast<std::uint64_t>(tensor.offset_shift));
    offset += (tensor.bytes.size() + alignment - 1) / alignment * alignment;
  }
  pad(out, alignment);
  return out;
}

std::size_t GgufBuilder::header_bytes() const { return header().size(); }

std::vector<std::byte> GgufBuilder::bytes() const {
  auto out = header();
  for (const Tensor& tensor : tensors_) {
    out.insert(out.end(), tensor.bytes.begin(), tensor.bytes.end());
    pad(out, alignment);
  }
  return out;
}

}  // namespace mie::test
