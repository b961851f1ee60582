// Where bench/analysis lies, which holds all statistics: beside the sources that this program was built from. Any thread.
#pragma once

#include <filesystem>

namespace mie::bench {

// `bench/analysis/run` in the folder of the build, or in one above it; empty: it is in none.
[[nodiscard]] std::filesystem::path analysis_program();

}  // namespace mie::bench
