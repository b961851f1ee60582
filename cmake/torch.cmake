# The unpacked torch wheel as imported targets. Only c10 and torch_cpu are linked; libtorch_cpu.so finds libcudart and
# libcupti by its own rpath, in nvidia/cu13/lib beside the torch folder, where the two small nvidia wheels unpack to.
if(NOT EXISTS "${TORCH_ROOT}/torch/include/ATen/core/Tensor.h")
  message(FATAL_ERROR
    "TORCH_ROOT is '${TORCH_ROOT}', which holds no torch/include. Unpack the torch wheel of conf/third_party.lock and pass "
    "-DTORCH_ROOT=<folder>, or build without the torch backend: -DWITH_TORCH=OFF.")
endif()
foreach(part c10 torch_cpu)
  add_library(libtorch::${part} SHARED IMPORTED)
  set_target_properties(libtorch::${part} PROPERTIES
    IMPORTED_LOCATION "${TORCH_ROOT}/torch/lib/lib${part}.so"
    INTERFACE_INCLUDE_DIRECTORIES "${TORCH_ROOT}/torch/include"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${TORCH_ROOT}/torch/include")
endforeach()
