// A library with the entry symbol of the torch backend but of another build. Test code.
#include "models/torch/torch_abi.h"

extern "C" __attribute__((visibility("default"))) const mie::TorchBackend* mie_torch_backend() {
  static const mie::TorchBackend backend = [] {
    mie::TorchBackend other{mie::this_build(), nullptr};
    other.stamp.sizes.back() += 8;
    return other;
  }();
  return &backend;
}
