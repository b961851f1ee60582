// Peak loops of avx512-vnni-bf16. Compiled with that ISA's flags (CMakeLists.txt).
#define MIE_PEAKS avx512_vnni_bf16_peaks
#include "models/native/peaks/peak_avx512.h"
