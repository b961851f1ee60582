// A file of request lines, plain or gzipped: committed results keep theirs small. Pure but for the file.
#pragma once

#include "bench/load/request_lines.h"

#include <filesystem>

namespace mie::bench {

// Where there is no such file, the one of that name with ".gz" is read. Error kConfig: neither can be read, or a line is bad.
[[nodiscard]] Result<std::vector<RequestLine>> read_request_file(const std::filesystem::path& path);

}  // namespace mie::bench
