#include "models/weights/gguf.h"

#include "models/weights/byte_reader.h"
#include "models/weights/format_error.h"
#include "models/weights/ggml_types.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

namespace mie {
namespace {

constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr std::uint32_t kMinVersion = 2;
constexpr std::uint32_t kMaxVersion = 3;
constexpr std::uint32_t kMaxDims = 4;
constexpr std::size_t kMaxNameBytes = 64;  // limit of the format
constexpr std::int64_t kDefaultAlignment = 32;
constexpr std::int64_t kMaxAlignment = 1 << 16;  // files use 32; far above any page size in use

// The least a file spends on one metadata entry and on one tensor: counts above what is left of the file are lies.
constexpr std::uint64_t kMinEntryBytes = 8 + 1 + 4 + 1;
constexpr std::uint64_t kMinTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;

std::optional<std::uint64_t> round_up(std::uint64_t value, std::uint64_t alignment) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(value, alignment - 1, &sum)) return std::nullopt;
  return sum - sum % alignment;
}

// Bytes of a tensor; none when a dimension is not positive, a row is no whole number of blocks or a product wraps.
std::optional<std::uint64_t> tensor_bytes(QuantFormat format, std::span<const std::int64_t> shape) {
  const FormatInfo& info = format_info(format);
  std::int64_t n_elements = 1;
  for (const auto dim : shape) {
    if (dim <= 0 || __builtin_mul_overflow(n_elements, dim, &n_elements)) return std::nullopt;
  }
  if (shape.back() % info.block_elements != 0) return std::nullopt;
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(n_elements / info.block_elements, info.block_bytes, &bytes)) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

Result<void> check_version(std::uint32_t version, std::string_view file_name) {
  if (version >= kMinVersion && version <= kMaxVersion) return {};
  if (const auto swapped = __builtin_bswap32(version); swapped >= 1 && swapped <= kMaxVersion) {
    return format_error(file_name, "is a big-endian GGUF file, which is not supported");
  }
  return format_error(file_name, "has GGUF version " + std::to_string(version) + "; versions 2 and 3 are supported");
}

}  // namespace

struct GgufFile::TensorInfo {
  TensorView view;           // bytes still unset
  std::uint64_t offset = 0;  // within the tensor region
  std::uint64_t n_bytes = 0;
};

Result<std::unique_ptr<GgufFile>> GgufFile::open(const std::filesystem::path& path) {
  auto map = MappedFile::open(path);
  if (!map) return map.error();
  const auto bytes = map->bytes();
  std::unique_ptr<GgufFile> file(new GgufFile(std::move(*map), path.filename().string()));
  if (auto read = file->read(bytes); !read) return read.error();
  return file;
}

Result<std::unique_ptr<GgufFile>> GgufFile::parse(std::span<const std::byte> bytes, std::string file_name) {
  std::unique_ptr<GgufFile> file(new GgufFile({}, std::move(file_name)));
  if (auto read = file->read(bytes); !read) return read.error();
  return file;
}

const TensorView* GgufFile::find(std::string_view name) const {
  const auto by_name = [this](std::uint32_t index) -> std::string_view { return tensors_[index].name; };
  const auto found = std::ranges::lower_bound(by_name_, name, {}, by_name);
  return found != by_name_.end() && by_name(*found) == name ? &tensors_[*found] : nullptr;
}

Result<void> GgufFile::read(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  if (reader.number<std::uint32_t>() != kMagic) return format_error(file_name_, "is not a GGUF file");
  const auto version = reader.number<std::uint32_t>();
  if (!reader.failed()) {
    if (auto checked = check_version(version, file_name_); !checked) return checked;
  }
  const auto n_tensors = reader.number<std::uint64_t>();
  const auto n_entries = reader.number<std::uint64_t>();
  if (reader.failed()) return format_error(file_name_, "ends within its header");
  if (n_entries > reader.remaining() / kMinEntryBytes || n_tensors > reader.remaining() / kMinTensorBytes) {
    return format_error(file_name_, "claims " + std::to_string(n_entries) + " metadata entries and " +
                                        std::to_string(n_tensors) + " tensors, more than the file holds");
  }
  auto metadata = GgufMetadata::read(reader, n_entries, file_name_);
  if (!metadata) return metadata.error();
  metadata_ = std::move(*metadata);
  if (auto read = read_alignment(); !read) return read;

  std::vector<TensorInfo> infos;
  for (std::uint64_t i = 0; i < n_tensors; ++i) {
    auto info = read_tensor_info(reader);
    if (!info) return info.error();
    infos.push_back(std::move(*info));
  }
  if (infos.empty() && reader.remaining() < alignment_) return {};  // a vocabulary alone
  // The tensor region starts at the next multiple of the alignment.
  const auto start = round_up(reader.position(), alignment_);
  if (!start || *start > bytes.size()) return format_error(file_name_, "ends before its tensors");
  return place_tensors(infos, bytes.subspan(static_cast<std::size_t>(*start)));
}

Result<void> GgufFile::read_alignment() {
  const auto alignment = metadata_.integer_or("general.alignment", kDefaultAlignment);
  if (!alignment) return alignment.error();
  if (*alignment < 8 || *alignment > kMaxAlignment || !std::has_single_bit(static_cast<std::uint64_t>(*alignment))) {
    return format_error(file_name_, "has alignment " + std::to_string(*alignment) + "; a power of two from 8 to " +
                                        std::to_string(kMaxAlignment) + " is expected");
  }
  alignment_ = static_cast<std::uint64_t>(*alignment);
  return {};
}

Result<GgufFile::TensorInfo> GgufFile::read_tensor_info(ByteReader& reader) const {
  TensorInfo info;
  const std::string_view name = reader.string();
  const auto n_dims = reader.number<std::uint32_t>();
  if (reader.failed()) return format_error(file_name_, "ends within its list of tensors");
  if (name.empty() || name.size() > kMaxNameBytes) {
    return format_error(file_name_, "has a tensor whose name is " + std::to_string(name.size()) + " bytes long");
  }
  const std::string tensor = "tensor " + quote(name);
  if (n_dims < 1 || n_dims > kMaxDims) {
    return format_error(file_name_, tensor + " has " + std::to_string(n_dims) + " dimensions; 1 to 4 are supported");
  }
  std::array<std::uint64_t, kMaxDims> dims{};  // innermost first in the file
  for (std::uint32_t i = 0; i < n_dims; ++i) dims[i] = reader.number<std::uint64_t>();
  const auto type = reader.number<std::uint32_t>();
  info.offset = reader.number<std::uint64_t>();
  if (reader.failed()) return format_error(file_name_, "ends within its list of tensors");

  const auto format = format_of_ggml_type(type);
  if (!format) return format_error(file_name_, tensor + " has type " + ggml_type_name(type) + ", which is not supported");
  for (std::uint32_t i = n_dims; i-- > 0;) {
    // Past 63 bits: negative here, so refused below.
    info.view.shape.push_back(static_cast<std::int64_t>(dims[i]));
  }
  const auto n_bytes = tensor_bytes(*format, info.view.shape);
  if (!n_bytes) {
    return format_error(file_name_, tensor + " of type " + std::string(format_info(*format).name) + " has impossible shape " +
                                        shape_text(info.view.shape));
  }
  info.view.name = name;
  info.view.format = *format;
  info.n_bytes = *n_bytes;
  return info;
}

// Tensors must fill the region one after another, padded to the alignment: no overlap, no gap, nothing behind the last.
Result<void> GgufFile::place_tensors(std::span<const TensorInfo> infos, std::span<const std::byte> region) {
  std::vector<std::uint32_t> by_offset(infos.size());
  std::iota(by_offset.begin(), by_offset.end(), 0U);
  std::ranges::sort(by_offset, {}, [&](std::uint32_t i) { return infos[i].offset; });
  tensors_.resize(infos.size());
  std::uint64_t expected = 0;  // offset of the next tensor
  for (const std::uint32_t i : by_offset) {
    const TensorInfo& info = infos[i];
    const std::string tensor = "tensor " + quote(info.view.name);
    if (info.offset % alignment_ != 0) {
      return format_error(file_name_, tensor + " is not aligned to " + std::to_string(alignment_) + " bytes");
    }
    if (info.offset > region.size() || info.n_bytes > region.size() - info.offset) {
      return format_error(file_name_, tensor + " reaches past the end of the file");
    }
    if (info.offset < expected) return format_error(file_name_, tensor + " overlaps another tensor");
    if (info.offset > expected) return format_error(file_name_, tensor + " leaves a gap before it");
    tensors_[i] = info.view;
    tensors_[i].bytes = region.subspan(static_cast<std::size_t>(info.offset), static_cast<std::size_t>(info.n_bytes));
    expected = *round_up(info.offset + info.n_bytes, alignment_);  // both within the file: cannot wrap
  }
  if (region.size() > expected) return format_error(file_name_, "has bytes behind its last tensor");
  return index_names();
}

Result<void> GgufFile::index_names() {
  by_name_.resize(tensors_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  const auto name_of = [this](std::uint32_t index) -> std::string_view { return tensors_[index].name; };
  std::ranges::sort(by_name_, {}, name_of);
  const auto twice = std::ranges::adjacent_find(by_name_, {}, name_of);
  if (twice != by_name_.end()) return format_error(file_name_, "tensor " + quote(name_of(*twice)) + " occurs twice");
  return {};
}

}  // namespace mie
