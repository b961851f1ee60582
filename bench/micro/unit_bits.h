// Whether the instruction-set units agree: integer kernels must give the same bits in every unit that this CPU runs.
#pragma once

#include "models/native/isa.h"

#include <string>
#include <vector>

namespace mie::bench {

struct UnitBits {
  std::vector<native::Isa> units;  // compared with the scalar one
  std::int64_t n_values = 0;       // outputs compared, over all units
  std::int64_t n_differences = 0;
  std::string first_difference{};  // "avx2 q4_1 row 3 output 17"
};

// Quantisation and the products of Q4_0, Q4_1 and Q8_0 with 8-bit rows, for rows 1 … 13 and two widths. Takes well under a
// second.
[[nodiscard]] UnitBits compare_units();

}  // namespace mie::bench
