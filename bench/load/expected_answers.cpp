#include "bench/load/expected_answers.h"

#include "bench/load/request_file.h"
#include "bench/metrics/sample.h"

namespace mie::bench {

Result<ExpectedAnswers> read_expected_answers(const std::filesystem::path& file) {
  const auto bad = [&](const char* why) { return Error{Errc::kConfig, file.string() + ": " + why, ""}; };
  const auto lines = read_request_file(file);
  if (lines.has_error()) return lines.error();
  ExpectedAnswers expected;
  for (const RequestLine& line : *lines) {
    if (succeeded(line.record) && !line.token_hash.empty()) expected.emplace(line.record.index, line.token_hash);
  }
  if (expected.empty()) return bad("has no answer whose tokens are known");
  return expected;
}

void judge_answers(std::span<RequestRecord> records, const ExpectedAnswers& expected) {
  for (RequestRecord& record : records) {
    const auto right = expected.find(record.index);
    if (right == expected.end() || !succeeded(record) || token_hash_of(record) == right->second) continue;
    record.status = RequestStatus::wrong_answer;
    record.error = "other tokens than expected";
  }
}

}  // namespace mie::bench
