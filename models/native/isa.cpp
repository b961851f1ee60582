#include "models/native/isa.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <array>

namespace mie::native {
namespace {

constexpr std::array kAll = {Isa::kScalar, Isa::kAvx2, Isa::kAvx512Vnni, Isa::kAvx512VnniBf16, Isa::kAmx};

#if defined(__x86_64__)
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c"); }

bool has_vnni() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

bool has_bf16() {
  return has_vnni() && __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("gfni");
}

// Tile registers are 8 KB more to save at a context switch: Linux grants them to a process that asks.
bool has_amx() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  constexpr unsigned kTileBf16 = 1U << 22, kTile = 1U << 24, kTileInt8 = 1U << 25, kNeeded = kTileBf16 | kTile | kTileInt8;
  constexpr int kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return (edx & kNeeded) == kNeeded && ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#endif

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
    case Isa::kAmx:
      return "amx";
  }
  return "unknown";
}

std::optional<Isa> parse_isa(std::string_view name) {
  const auto* found = std::find_if(kAll.begin(), kAll.end(), [&](Isa isa) { return isa_name(isa) == name; });
  return found == kAll.end() ? std::nullopt : std::optional(*found);
}

bool isa_supported(Isa isa) {
#if defined(__x86_64__)
  switch (isa) {
    case Isa::kScalar:
      return true;
    case Isa::kAvx2:
      return has_avx2();
    case Isa::kAvx512Vnni:
      return has_vnni();
    case Isa::kAvx512VnniBf16:
      return has_bf16();
    case Isa::kAmx:
      return has_bf16() && has_amx();
  }
  return false;
#else
  return isa == Isa::kScalar;
#endif
}

Isa best_isa() {
  Isa best = Isa::kScalar;
  for (const Isa isa : kAll) {
    if (isa_supported(isa)) best = isa;
  }
  return best;
}

std::span<const Isa> all_isas() { return kAll; }

}  // namespace mie::native
