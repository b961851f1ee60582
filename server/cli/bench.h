// `mie bench`: becomes `mie-bench`, the program of the measurements (bench/), which lies beside this one.
#pragma once

namespace mie {

// `argv`: "bench" and what follows it, ended by a null pointer. Returns only if the program cannot be run: the exit code, with
// the reason on stderr.
int run_bench(char** argv);

}  // namespace mie
