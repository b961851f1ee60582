// From a specification to the list of requests that it means: a pure function of the specification and of the files that it
// names. All targets send this list.
#pragma once

#include "bench/workload/expand/inputs.h"
#include "bench/workload/planned_request.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace mie::bench {

struct ExpandedWorkload {
  std::vector<PlannedRequest> requests;  // warm-up requests that go before the load first
  std::vector<InputFile> files;

  // Warm-up requests that are sent one by one before the clock starts, and all others.
  [[nodiscard]] std::span<const PlannedRequest> before_load() const;
  [[nodiscard]] std::span<const PlannedRequest> load() const;

  // Over the hashes of the files and the JSON of each request.
  [[nodiscard]] std::string sha256() const;
};

// Paths in the specification are relative to `folder`, its own. An open law that ends by time is expanded up to that time, a
// closed one up to the bound of expand/outline.h; `warmup.seconds` of a closed loop are the client's to mark, since nobody
// knows before when its requests are sent. Answers of earlier turns of a session are stood in for by tokens drawn like prompts,
// so that the work is the same whatever a server answers. Errors: kConfig: a file cannot be read, the arrivals end before the
// count, more requests or tokens than memory should hold.
Result<ExpandedWorkload> expand(const WorkloadSpec& spec, const std::filesystem::path& folder);

// One request as canonical JSON; absent members are left out.
[[nodiscard]] std::string request_json(const PlannedRequest& request);

}  // namespace mie::bench
