// Small exact cases of paging, each worked out in closed form, on the live pool, and in resident memory where memory is what
// it is about. The caller's thread.
#pragma once

#include "bench/kv/resident.h"
#include "core/base/error.h"

#include <optional>
#include <string>
#include <vector>

namespace mie::bench {

struct ExactCase {
  std::string what;
  std::string expected;      // the published figures
  std::string closed, live;  // the same, worked out
  std::optional<Resident> resident{};

  [[nodiscard]] bool exact() const { return closed == expected && live == expected && (!resident || resident->agrees()); }
};

// Errors: those of resident_blocks().
enum class WithMemory { kNo, kYes };
Result<std::vector<ExactCase>> exact_cases(WithMemory memory);

}  // namespace mie::bench
