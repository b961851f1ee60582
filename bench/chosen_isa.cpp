#include "bench/chosen_isa.h"

#include <cstdlib>
#include <string>

namespace mie::bench {

Result<native::Isa> chosen_isa() {
  const char* name = std::getenv("MIE_ISA");
  if (name == nullptr || *name == '\0') return native::best_isa();
  const auto isa = native::parse_isa(name);
  if (!isa) return Error{Errc::kConfig, std::string("MIE_ISA: no unit is called ") + name, "MIE_ISA"};
  if (!native::isa_supported(*isa)) return Error{Errc::kConfig, std::string("MIE_ISA: this CPU cannot run ") + name, "MIE_ISA"};
  return *isa;
}

}  // namespace mie::bench
