// What answers must be: those of an earlier run, whose requests.jsonl `checks.expected_tokens_file` names. Values; any thread.
#pragma once

#include "bench/load/request_record.h"
#include "core/base/error.h"

#include <filesystem>
#include <span>
#include <string>
#include <unordered_map>

namespace mie::bench {

// Index of the request → hash of its tokens.
using ExpectedAnswers = std::unordered_map<int, std::string>;

// Of the requests there that succeeded. Error kConfig: the file cannot be read, or holds no tokens.
[[nodiscard]] Result<ExpectedAnswers> read_expected_answers(const std::filesystem::path& file);

// wrong_answer for each that succeeded with other tokens; a request that nothing is expected of stays as it is.
void judge_answers(std::span<RequestRecord> records, const ExpectedAnswers& expected);

}  // namespace mie::bench
