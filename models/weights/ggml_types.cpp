#include "models/weights/ggml_types.h"

#include <array>
#include <string_view>

namespace mie {
namespace {

// enum ggml_type of ggml.h; empty where a number was withdrawn.
constexpr std::array<std::string_view, 42> kNames = {
    "F32",   "F16",    "Q4_0",  "Q4_1", "",     "",        "Q5_0",   "Q5_1",    "Q8_0",  "Q8_1",   "Q2_K",
    "Q3_K",  "Q4_K",   "Q5_K",  "Q6_K", "Q8_K", "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S",
    "IQ2_S", "IQ4_XS", "I8",    "I16",  "I32",  "I64",     "F64",    "IQ1_M",   "BF16",  "",       "",
    "",      "TQ1_0",  "TQ2_0", "",     "",     "",        "MXFP4",  "NVFP4",   "Q1_0"};

}  // namespace

std::optional<QuantFormat> format_of_ggml_type(std::uint32_t type) {
  switch (type) {
    case 0:
      return QuantFormat::kF32;
    case 1:
      return QuantFormat::kF16;
    case 2:
      return QuantFormat::kQ4_0;
    case 3:
      return QuantFormat::kQ4_1;
    case 8:
      return QuantFormat::kQ8_0;
    case 30:
      return QuantFormat::kBF16;
    default:
      return std::nullopt;
  }
}

std::string ggml_type_name(std::uint32_t type) {
  if (type < kNames.size() && !kNames[type].empty()) return std::string(kNames[type]);
  return "number " + std::to_string(type);
}

}  // namespace mie
