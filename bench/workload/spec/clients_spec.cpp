#include "bench/workload/spec/clients_spec.h"

namespace mie::bench {

void SlowReaderSpec::describe(Fields& fields) {
  fields.required("share");
  fields.required("bytes_per_s");
  fields.field("share", share, kShare);
  fields.field("bytes_per_s", bytes_per_s, kPositive);
}

void CancelSpec::describe(Fields& fields) {
  fields.required("share");
  fields.field("share", share, kShare);
  fields.field("after_ms", after_ms);
  fields.field("after_tokens", after_tokens, IntegerRange{1});
  if (after_ms.has_value() == after_tokens.has_value())
    fields.refuse("share", "needs exactly one of after_ms and after_tokens");
}

void ClientsSpec::describe(Fields& fields) {
  fields.field("connections", connections);
  fields.field("keepalive", keepalive);
  fields.field("timeout_ms", timeout_ms, {1});
  fields.field("deadline_ms", deadline_ms, IntegerRange{1});
  fields.field("slow_reader", slow_reader);
  fields.field("cancel", cancel);
}

}  // namespace mie::bench
