#include "bench/metrics/counter_check.h"

#include "bench/metrics/request_metrics.h"
#include "bench/metrics/sample.h"

#include <string_view>

namespace mie::bench {
namespace {

struct Sums {
  std::int64_t answered = 0;  // the least that a server must have counted
  std::int64_t asked = 0;     // the most
};

// The server took the request up, and what it had counted when the answer broke off is unknown.
bool broke_off(const RequestRecord& record) {
  switch (record.status) {
    case RequestStatus::reset:
    case RequestStatus::client_timeout:
    case RequestStatus::deadline_server:
    case RequestStatus::cancelled_by_client:
    case RequestStatus::stream_error:
    case RequestStatus::stream_truncated:
    case RequestStatus::bad_json:
    case RequestStatus::bad_content:
    case RequestStatus::http_5xx:
      return record.send_ns.has_value();
    default:
      return false;
  }
}

bool answered(const RequestRecord& record) {
  return succeeded(record) || record.status == RequestStatus::count_mismatch || record.status == RequestStatus::wrong_answer;
}

void add(Sums& sums, const RequestRecord& record, std::int64_t amount) {
  if (answered(record)) sums.answered += amount;
  if (answered(record) || broke_off(record)) sums.asked += amount;
}

void compare(std::vector<std::string>& out, std::string_view what, const Sums& sums, const std::optional<std::int64_t>& delta) {
  if (!delta || (*delta >= sums.answered && *delta <= sums.asked)) return;
  std::string client = std::to_string(sums.answered);
  if (sums.asked != sums.answered) client += " to " + std::to_string(sums.asked);
  out.push_back(std::string(what) + ": the client counts " + client + ", the server " + std::to_string(*delta));
}

}  // namespace

std::vector<std::string> counter_mismatches(std::span<const RequestRecord> records, const CounterDeltas& deltas) {
  Sums prompts, outputs, requests;
  for (const RequestRecord& record : records) {
    add(prompts, record, record.planned_prompt > 0 ? record.planned_prompt : record.prompt_tokens);
    add(outputs, record, answered(record) ? output_tokens_of(record) : record.requested_output);
    add(requests, record, 1);
  }
  std::vector<std::string> out;
  compare(out, "prompt tokens", prompts, deltas.prompt_tokens);
  compare(out, "output tokens", outputs, deltas.generation_tokens);
  compare(out, "successful requests", requests, deltas.succeeded);
  return out;
}

}  // namespace mie::bench
