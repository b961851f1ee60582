// What `mie diff` prints: each layer's distance, the first difference, and the verdict. Pure functions; any thread.
#pragma once

#include "bench/diff/compare.h"

#include <string>

namespace mie::diff {

enum class Detail { kLayers, kTensors };  // a line a layer, with the tensor nearest to or farthest above its bound; or all

// Whether the sides differ beyond what rounding explains; also when one of them stopped and the other did not.
[[nodiscard]] bool diverged(const Record& a, const Record& b, const Comparison& comparison);

[[nodiscard]] std::string as_text(const Record& a, const Record& b, const Comparison& comparison, Detail detail);

}  // namespace mie::diff
