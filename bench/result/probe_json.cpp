#include "bench/result/probe_json.h"

namespace mie::bench {
void write_probe(json::JsonWriter& out, std::string_view name, const native::ProbeResult& probe) {
  out.key(name).begin_object();
  out.key("read_1t_gbps").number(probe.read_1t_gbps).key("read_gbps").number(probe.read_gbps);
  out.member_or_null("fp32_gflops", probe.fp32_gflops);
  out.member_or_null("bf16_gflops", probe.bf16_gflops);
  out.member_or_null("int8_gops", probe.int8_gops);
  out.key("fork_join_ns").number(probe.fork_join_ns).key("round_trip_ns").number(probe.round_trip_ns);
  out.key("foreign_cpu").number(probe.foreign_cpu);
  out.member("buffer_bytes", static_cast<std::int64_t>(probe.buffer_bytes)).end_object();
}

}  // namespace mie::bench
