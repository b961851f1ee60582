// A specification as it lies on the disk. Values; any thread.
#pragma once

#include "bench/workload/expand/expand.h"
#include "bench/workload/spec/workload_spec.h"

namespace mie::bench {

struct SpecFile {
  std::string verbatim;             // the file's text
  std::filesystem::path folder;     // that paths in it are relative to
  std::vector<WorkloadSpec> cells;  // one, or those of its [sweep] table
  bool swept = false;
};

// Errors: kConfig with file and line.
Result<SpecFile> load_spec_file(const std::string& path);

}  // namespace mie::bench
