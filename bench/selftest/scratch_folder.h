// A folder under the system's one for temporary files, gone with its owner. One thread.
#pragma once

#include "core/base/ensure.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace mie::bench {

class ScratchFolder {
 public:
  ScratchFolder() : path_((std::filesystem::temp_directory_path() / "mie-selftest-XXXXXX").string()) {
    ENSURE(::mkdtemp(path_.data()) != nullptr, "a folder for temporary files");
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace mie::bench
