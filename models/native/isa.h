// Which set of kernels runs: chosen once at start from cpuid (or MIE_ISA), the same for the whole run, since bits of the
// floating-point kernels differ between units. Values; any thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace mie::native {

// Ascending: a machine that supports one supports all before it.
enum class Isa { kScalar, kAvx2, kAvx512Vnni, kAvx512VnniBf16, kAmx };

[[nodiscard]] std::string_view isa_name(Isa isa);  // "avx512-vnni-bf16", as MIE_ISA spells it
[[nodiscard]] std::optional<Isa> parse_isa(std::string_view name);
// By this CPU and operating system. Asking for kAmx also asks the kernel to save tile registers for this process.
[[nodiscard]] bool isa_supported(Isa isa);
[[nodiscard]] Isa best_isa();
[[nodiscard]] std::span<const Isa> all_isas();

}  // namespace mie::native
