// A specification with a [sweep] table stands for many: one for each combination of the listed values. Pure; any thread.
#pragma once

#include "bench/workload/document/value.h"

#include <vector>

namespace mie::bench {

// Keys in sorted order, the last one moving fastest; each cell's name says which it is: "knee[arrival.rate=2]". A document
// without the table is its own only cell. Errors: kConfig with file and line: no list, an empty one, a key that goes through a
// value.
Result<std::vector<Document>> expand_sweep(const Document& document);

}  // namespace mie::bench
