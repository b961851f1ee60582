// requests.jsonl: one line a request, in the order of the list. What did not happen is null. Pure but for the streams.
#pragma once

#include "bench/load/request_record.h"
#include "core/base/error.h"

#include <istream>
#include <span>
#include <string>
#include <vector>

namespace mie::bench {

// SHA-256 of the ids (32-bit little-endian), else of the text; empty: there is neither.
[[nodiscard]] std::string token_hash_of(const RequestRecord& record);
[[nodiscard]] std::string token_hash_of(std::span<const TokenId> tokens);

[[nodiscard]] std::string request_line(const RequestRecord& record);  // ends in a newline
[[nodiscard]] std::string request_lines(std::span<const RequestRecord> records);

// A line read back: the record without tokens, and without the text where only its hash was kept.
struct RequestLine {
  std::string id;
  RequestRecord record;
  std::string token_hash;  // as token_hash_of
};

[[nodiscard]] Result<std::vector<RequestLine>> read_request_lines(std::istream& in);

}  // namespace mie::bench
