// The folder of a run: result.json and requests.jsonl, each written under another name first and then renamed, so that what has
// its name is whole. Any thread.
#pragma once

#include "bench/result/run_result.h"
#include "core/base/error.h"

#include <filesystem>
#include <string_view>

namespace mie::bench {

// Error kConfig: the folder cannot be written. requests.jsonl goes first: a folder without result.json is no result.
[[nodiscard]] std::optional<Error> write_result(const RunResult& result, const std::filesystem::path& folder);

[[nodiscard]] std::optional<Error> write_whole(const std::filesystem::path& path, std::string_view text);

[[nodiscard]] std::string result_json(const RunResult& result);

}  // namespace mie::bench
