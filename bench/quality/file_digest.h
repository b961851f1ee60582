// SHA-256 in lower-case hexadecimal, so that a figure names the bytes that it belongs to. Any thread.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <span>
#include <string>

namespace mie {

[[nodiscard]] std::string sha256_of(std::span<const std::byte> bytes);

// Error kConfig: the file cannot be read.
Result<std::string> sha256_of_file(const std::string& path);

}  // namespace mie
