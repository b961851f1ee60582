#include "models/torch/open_torch.h"

#include "models/torch/torch_abi.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <string>
#include <system_error>
#include <vector>

namespace mie {
namespace {

constexpr const char* kFileName = "libmie_torch.so";

Error config_error(std::string message) { return Error{Errc::kConfig, std::move(message), "backend"}; }

std::vector<std::filesystem::path> places(const TorchLibraryPath& library) {
  if (!library.file.empty()) return {library.file};
  std::error_code ignored;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  return {folder / kFileName, folder.parent_path() / "lib" / kFileName};
}

Result<std::filesystem::path> find_library(const TorchLibraryPath& library) {
  std::string tried;
  for (const auto& place : places(library)) {
    std::error_code ignored;
    if (std::filesystem::exists(place, ignored)) return place;
    tried += (tried.empty() ? "" : ", ") + place.string();
  }
  return config_error("the torch backend is not here (looked for " + tried +
                      "); build it with -DWITH_TORCH=ON or choose --backend native");
}

Result<const TorchBackend*> map_backend(const std::filesystem::path& file) {
  // OpenMP reads this when it is mapped. Workers that spin at a barrier take the cores from the I/O thread, and on a busy
  // machine from the very thread that they wait for. Whoever set it already is obeyed.
  ::setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) return config_error(std::string("the torch backend does not load: ") + ::dlerror());
  void* symbol = ::dlsym(handle, kTorchEntrySymbol);
  if (symbol == nullptr) return config_error(file.string() + " is not a torch backend of mie");
  const TorchBackend* backend = reinterpret_cast<TorchEntry>(symbol)();
  if (backend->stamp != this_build()) {
    return config_error(file.string() + " belongs to another build of mie; build both together");
  }
  return backend;
}

}  // namespace

Result<std::unique_ptr<ModelRunner>> open_torch_runner(const TorchLibraryPath& library, const ModelPlan& plan,
                                                       const WeightSource& weights, const TorchOptions& options,
                                                       const LoadProgress& progress) {
  const auto file = find_library(library);
  if (!file) return file.error();
  const auto backend = map_backend(*file);
  if (!backend) return backend.error();
  return (*backend)->open(plan, weights, options, progress);
}

}  // namespace mie
