#include "server/backend.h"

#include "core/base/ensure.h"

namespace mie {

Result<std::unique_ptr<Backend>> make_backend(const Config& config) {
  if (config.backend == "native") return make_native_backend(config);
  ENSURE(config.backend == "torch", "a backend that the configuration let pass");
  return make_torch_backend(config);
}

}  // namespace mie
