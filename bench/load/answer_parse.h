// From what arrived to what it says: the status, stamps, tokens and text of one request, after the run. Pure but for the
// reader's memory; one thread a reader.
#pragma once

#include "bench/load/event_reader.h"
#include "bench/load/exchange.h"
#include "bench/load/request_record.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mie::bench {

// A read, with its stamp from the start of the load.
struct AnswerPiece {
  std::int64_t at_ns = 0;
  std::string_view bytes{};
};

struct AnswerRules {
  bool streamed = true;
  bool exact = true;  // the answer has as many tokens as were asked for
};

struct AnswerVerdict {
  RequestStatus status = RequestStatus::ok;
  std::string error{};  // empty: what the answer said
};

// Where the client itself ended the exchange; nothing: the answer decides.
[[nodiscard]] std::optional<AnswerVerdict> verdict_of_client(Ending ending);

// Of an answer that is not 200. `code`: of its error.
[[nodiscard]] RequestStatus refused_with(int http_status, std::string_view code);

// Fills status, error, stamps of the answer, tokens and text of `record`, whose other members stand already: what was asked
// for, the stamps of the client and `end_ns`, the end as the client saw it.
void parse_answer(RequestRecord& record, std::span<const AnswerPiece> pieces, Ending ending, const AnswerRules& rules,
                  EventReader& reader);

}  // namespace mie::bench
