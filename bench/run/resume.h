// What of a measurement is there already, so that one that was broken off goes on where it was. Pure but for the files.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace mie::bench {

// A folder right under `out` whose result is of this specification and valid; nothing: it has to be run.
[[nodiscard]] std::optional<std::filesystem::path> valid_result(const std::filesystem::path& out, std::string_view spec_sha256);

}  // namespace mie::bench
