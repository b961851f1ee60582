// `mie-bench`, which `mie bench` runs: measurements of this program. A program of its own, so that the server neither waits
// for their compilation nor carries their libraries.
#include "bench/bench_command.h"

int main(int argc, char** argv) { return mie::run_bench_program(argc, argv); }
