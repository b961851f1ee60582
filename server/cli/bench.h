// `mie bench` and `mie diff`: become `mie-bench`, the program of the measurements (bench/), which lies beside this one.
#pragma once

namespace mie {

// `argv`: any name, then what `mie-bench` is to do, ended by a null pointer. Returns only if the program cannot be run: the
// exit code, with the reason on stderr.
int run_bench(char** argv);

}  // namespace mie
