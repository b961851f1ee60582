// What `mie bench quality` prints: a table for people, JSON for programs. Values and pure functions; any thread.
#pragma once

#include "bench/quality/figures.h"

#include <string>
#include <vector>

namespace mie::quality {

// What a row of figures was computed by, for the record.
struct Variant {
  std::string backend, numerics, isa, kv_dtype;  // as the server names them; empty where the backend has none
};

struct VariantFigures {
  Variant variant;
  Summary summary;
};

struct QualityReport {
  std::string text_file, text_sha256;
  std::string tokens_sha256;  // of the ids read, as 32-bit little-endian integers: two tools that read the same text agree
  int chunk = 0;
  std::string model_file, model_sha256, architecture, weight_format;
  Variant reference;
  std::vector<VariantFigures> rows;
};

[[nodiscard]] std::string as_table(const QualityReport& report);
[[nodiscard]] std::string as_json(const QualityReport& report);

}  // namespace mie::quality
