#include "models/native/isa.h"

#include <algorithm>
#include <array>

namespace mie::native {
namespace {

constexpr std::array kAll = {Isa::kScalar, Isa::kAvx2, Isa::kAvx512Vnni, Isa::kAvx512VnniBf16};

}  // namespace

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
      return "scalar";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512Vnni:
      return "avx512-vnni";
    case Isa::kAvx512VnniBf16:
      return "avx512-vnni-bf16";
  }
  return "unknown";
}

std::optional<Isa> parse_isa(std::string_view name) {
  const auto* found = std::find_if(kAll.begin(), kAll.end(), [&](Isa isa) { return isa_name(isa) == name; });
  return found == kAll.end() ? std::nullopt : std::optional(*found);
}

bool isa_supported(Isa isa) {
#if defined(__x86_64__)
  const auto avx2 = [] {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  };
  const auto vnni = [&] {
    return avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
  };
  switch (isa) {
    case Isa::kScalar:
      return true;
    case Isa::kAvx2:
      return avx2();
    case Isa::kAvx512Vnni:
      return vnni();
    case Isa::kAvx512VnniBf16:
      return vnni() && __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vbmi");
  }
  return false;
#else
  return isa == Isa::kScalar;
#endif
}

Isa best_isa() { return *std::find_if(kAll.rbegin(), kAll.rend(), isa_supported); }

std::span<const Isa> all_isas() { return kAll; }

}  // namespace mie::native
