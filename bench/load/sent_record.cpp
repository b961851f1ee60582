#include "bench/load/sent_record.h"

#include <cstring>
#include <optional>

namespace mie::bench {
namespace {

std::optional<std::int64_t> since(std::int64_t at_ns, std::int64_t began_ns) {
  if (at_ns == Exchange::kNever) return {};
  return at_ns - began_ns;
}

}  // namespace

RequestRecord sent_record(const PlannedRequest& planned, const Exchange& exchange, const LoadSettings& settings,
                          std::int64_t began_ns) {
  RequestRecord out;
  out.index = planned.index;
  out.session = planned.session;
  out.turn = planned.turn;
  out.seed = planned.seed;
  out.requested_output = planned.output_tokens;
  out.planned_prompt = static_cast<int>(planned.prompt.size());
  out.intended_ns =
      since(exchange.intended_ns, began_ns).value_or(planned.intended.value_or(std::chrono::nanoseconds(0)).count());
  out.warmup = planned.warmup || (settings.closed && settings.warmup && out.intended_ns < settings.warmup->count());
  out.send_ns = since(exchange.send_ns, began_ns);
  out.sent_ns = since(exchange.sent_ns, began_ns);
  out.end_ns = since(exchange.end_ns, began_ns);
  out.connection = exchange.connection;
  out.bytes_in = exchange.bytes_in;
  out.bytes_out = exchange.bytes_out;
  if (exchange.ending == Ending::kConnectFailed) out.error = std::strerror(exchange.error_number);
  return out;
}

}  // namespace mie::bench
