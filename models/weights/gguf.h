// Reader of GGUF model files, versions 2 and 3, little-endian. The file is mapped read-only and nothing of it is trusted:
// each length, count and offset is checked against what is left of the file before it is used, so memory taken stays
// within a small multiple of the file's size. A damaged or unsupported file is one line of kModelFormat.
// Owned by whoever loads the model; tensors and metadata are views into it. Immutable after loading; any thread.
// Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
#pragma once

#include "core/base/error.h"
#include "models/weights/gguf_metadata.h"
#include "models/weights/mapped_file.h"
#include "models/weights/weight_source.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mie {

class GgufFile final : public WeightSource {
 public:
  static Result<std::unique_ptr<GgufFile>> open(const std::filesystem::path& path);

  // Reads a file held in memory. REQUIRES: bytes outlive the result. `file_name` opens every message.
  static Result<std::unique_ptr<GgufFile>> parse(std::span<const std::byte> bytes, std::string file_name);

  [[nodiscard]] const GgufMetadata& metadata() const { return metadata_; }
  [[nodiscard]] std::span<const TensorView> tensors() const override { return tensors_; }  // in file order
  [[nodiscard]] const TensorView* find(std::string_view name) const override;              // O(log n)
  void drop_resident_pages() const override { map_.drop_resident_pages(); }
  [[nodiscard]] const std::string& file_name() const { return file_name_; }  // without its folder

 private:
  GgufFile(MappedFile map, std::string file_name) : map_(std::move(map)), file_name_(std::move(file_name)) {}

  struct TensorInfo;
  [[nodiscard]] Result<void> read(std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> read_alignment();
  [[nodiscard]] Result<TensorInfo> read_tensor_info(ByteReader& reader) const;
  [[nodiscard]] Result<void> index_names();
  [[nodiscard]] Result<void> place_tensors(std::span<const TensorInfo> infos, std::span<const std::byte> region);

  MappedFile map_;  // empty when the bytes are the caller's
  std::string file_name_;
  GgufMetadata metadata_;
  std::uint64_t alignment_ = 32;
  std::vector<TensorView> tensors_;
  std::vector<std::uint32_t> by_name_;  // indices into tensors_, ordered by name
};

}  // namespace mie
