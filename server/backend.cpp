#include "server/backend.h"

#include "core/base/ensure.h"

namespace mie {

Result<std::unique_ptr<Backend>> make_backend(const Config& config) {
  if (config.backend == "native") return make_native_backend(config);
  ENSURE(config.backend == "torch", "a backend that the configuration let pass");
  const auto only_native = [](const std::string& flag) {
    return Error{Errc::kConfig, flag + " needs --backend native; torch has none of its baselines", ""};
  };
  if (config.kernels != "tuned") return only_native("--kernels " + config.kernels);
  if (config.attn != "paged") return only_native("--attn " + config.attn);
  if (config.sample != "batch") return only_native("--sample " + config.sample);
  return make_torch_backend(config);
}

}  // namespace mie
