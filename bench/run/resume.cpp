#include "bench/run/resume.h"

#include <simdjson.h>

#include <algorithm>
#include <system_error>
#include <vector>

namespace mie::bench {
namespace {

bool is_valid_result_of(const std::filesystem::path& folder, std::string_view spec_sha256) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.load((folder / "result.json").string()).get(root) != simdjson::SUCCESS) return false;
  std::string_view of, state;
  return root["spec_sha256"].get(of) == simdjson::SUCCESS && of == spec_sha256 &&
         root.at_pointer("/validity/state").get(state) == simdjson::SUCCESS && state == "ok";
}

}  // namespace

std::optional<std::filesystem::path> valid_result(const std::filesystem::path& out, std::string_view spec_sha256) {
  std::error_code failed;
  std::vector<std::filesystem::path> folders;
  for (std::filesystem::directory_iterator each(out, failed), end; !failed && each != end; each.increment(failed))
    folders.push_back(each->path());
  std::ranges::sort(folders);  // of several, the oldest
  const auto found = std::ranges::find_if(folders, [&](const auto& folder) { return is_valid_result_of(folder, spec_sha256); });
  return found == folders.end() ? std::nullopt : std::optional(*found);
}

}  // namespace mie::bench
