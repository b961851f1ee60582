#include "core/base/build_info.h"

#include "commit_id.h"

namespace mie {

BuildInfo build_info() {
  return {.version = MIE_VERSION, .commit = MIE_COMMIT, .compiler = MIE_COMPILER, .build_type = MIE_BUILD_TYPE};
}

}  // namespace mie
