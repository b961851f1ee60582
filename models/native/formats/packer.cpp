#include "models/native/formats/packer.h"

namespace mie::native {

PackFormat pack_format_of(QuantFormat format) {
  switch (format) {
    case QuantFormat::kQ4_0:
      return PackFormat::kQ4_0;
    case QuantFormat::kQ4_1:
      return PackFormat::kQ4_1;
    case QuantFormat::kQ8_0:
      return PackFormat::kQ8_0;
    case QuantFormat::kF32:
    case QuantFormat::kF16:
    case QuantFormat::kBF16:
      return PackFormat::kBf16;
  }
  return PackFormat::kBf16;
}

const Packer& packer(PackFormat format) {
  switch (format) {
    case PackFormat::kQ4_0:
      return kPackQ4_0;
    case PackFormat::kQ4_1:
      return kPackQ4_1;
    case PackFormat::kQ8_0:
      return kPackQ8_0;
    case PackFormat::kBf16:
      return kPackBf16;
  }
  return kPackBf16;
}

}  // namespace mie::native
