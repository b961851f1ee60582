// A command as a line that a POSIX shell takes for the same words. Any thread.
#pragma once

#include <span>
#include <string>

namespace mie::bench {

// Words of letters, digits and %+,-./:=@_ stand as they are, all others in single quotes.
std::string shell_line(std::span<const std::string> words);

}  // namespace mie::bench
