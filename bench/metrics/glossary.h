// docs/metrics.md: what every figure and status means, from the tables that the code computes and names them by. Pure.
#pragma once

#include <string>

namespace mie::bench {

[[nodiscard]] std::string glossary();  // Markdown

}  // namespace mie::bench
