#include "bench/micro/report.h"

#include "bench/result/probe_json.h"
#include "server/json/response_write.h"

#include <fmt/format.h>

#include <algorithm>

namespace mie::bench {
namespace {

using json::JsonWriter;

std::string rate_text(std::optional<double> rate) { return rate ? fmt::format("{:.0f}", *rate) : "none"; }

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.1f} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  return fmt::format("{:.3f} ms", seconds * 1e3);
}

std::string case_line(const Measured& one) {
  const auto percent = one.percent();
  const std::string against = percent ? fmt::format("{:.1f} % of {}", *percent, limit_name(one.limit)) : "";
  std::string line = fmt::format("{:<44} {:>11} {:>9} {:>9}  {:<15}", one.name, time_text(one.timing.median),
                                 one.bytes > 0 ? fmt::format("{:.1f}", one.gb_per_second()) : "-",
                                 one.ops > 0 ? fmt::format("{:.0f}", one.gops()) : "-", against);
  if (auto why = one.disturbance(); !why.empty()) line += "  ! " + why;
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

std::string gate_line(const Judged& judged) {
  const Gate& gate = judged.gate;
  const bool at_least = gate.kind == GateKind::kPercent;
  const std::string unit(unit_of(gate.kind));
  const std::string need =
      gate.kind == GateKind::kTest ? "" : fmt::format("{} {:g} {}", at_least ? ">=" : "<=", gate.need, unit);
  const std::string figure = judged.figure ? fmt::format("{:.4g} {}", *judged.figure, unit) : "-";
  std::string line =
      fmt::format("{:>4}  {:<48} {:>12} {:>12}  {:<9}", gate.number, gate.what, need, figure, verdict_name(judged.verdict));
  if (!judged.note.empty()) line += "  " + judged.note;
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

void write_case(JsonWriter& out, const Measured& one) {
  out.begin_object().member("name", std::string_view(one.name));
  out.key("seconds").number(one.timing.median).key("min_seconds").number(one.timing.min);
  out.key("max_seconds").number(one.timing.max).member("repetitions", one.timing.n_repetitions);
  out.key("bytes").number(one.bytes).key("ops").number(one.ops);
  out.key("gbps").number(one.gb_per_second()).key("gops").number(one.gops());
  out.member("limit", limit_name(one.limit));
  out.member_or_null("percent", one.percent());
  out.key("foreign_cpu").number(one.foreign_cpu);
  out.member_or_null("disturbance", one.disturbance());
  write_probe(out, "probe_before", one.before);
  write_probe(out, "probe_after", one.after);
  out.end_object();
}

void write_gate(JsonWriter& out, const Judged& judged) {
  out.begin_object().member("gate", judged.gate.number).member("what", std::string_view(judged.gate.what));
  out.member("at_least", judged.gate.kind == GateKind::kPercent).key("need").number(judged.gate.need);
  out.member("unit", unit_of(judged.gate.kind));
  out.member_or_null("figure", judged.figure);
  out.member("verdict", verdict_name(judged.verdict));
  out.member_or_null("note", judged.note);
  out.end_object();
}

}  // namespace

std::string probe_line(std::string_view label, const native::ProbeResult& probe) {
  std::string line = fmt::format(
      "{:<7} read {:.1f} GB/s on 1 thread, {:.1f} on {} ({} MiB); fp32 {}, bf16 {}, int8 {} x 10^9/s; fork-join {:.0f} ns, "
      "{:.0f} ns of it a cache line's round trip; "
      "others used {:.0f} % of the CPU",
      label, probe.read_1t_gbps, probe.read_gbps, probe.n_threads, probe.buffer_bytes >> 20, rate_text(probe.fp32_gflops),
      rate_text(probe.bf16_gflops), rate_text(probe.int8_gops), probe.fork_join_ns, probe.round_trip_ns,
      probe.foreign_cpu * 100);
  if (auto why = probe.disturbance(); !why.empty()) line += "  ! not usable: " + why;
  return line + "\n";
}

std::string as_text(const MicroReport& report) {
  std::string text = fmt::format("mie {} ({}) on {}, unit {}, {} threads\n", report.version, report.commit, report.cpu,
                                 report.isa, report.n_threads);
  text += probe_line("before", report.before);
  if (!report.cases.empty()) {
    text += fmt::format("\n{:<44} {:>11} {:>9} {:>9}  {}\n", "case", "time", "GB/s", "10^9 op/s", "of the probe beside it");
    for (const Measured& one : report.cases) text += case_line(one);
    text += "\n" + probe_line("after", report.after);
    if (auto why = disagreement(report.before, report.after); !why.empty()) text += "! " + why + " over the run\n";
  }
  if (!report.gates.empty()) {
    text += fmt::format("\ngate  {:<48} {:>12} {:>12}  verdict\n", "what", "needed", "measured");
    for (const Judged& judged : report.gates) text += gate_line(judged);
  }
  return text;
}

std::string as_json(const MicroReport& report) {
  JsonWriter out;
  out.begin_object().member("schema", "mie.micro/1");
  out.member("version", std::string_view(report.version)).member("commit", std::string_view(report.commit));
  out.member("cpu", std::string_view(report.cpu)).member("isa", std::string_view(report.isa));
  out.member("threads", report.n_threads);
  write_probe(out, "probe_before", report.before);
  write_probe(out, "probe_after", report.after);
  out.member_or_null("disagreement", disagreement(report.before, report.after));
  out.key("cases").begin_array();
  for (const Measured& one : report.cases) write_case(out, one);
  out.end_array().key("gates").begin_array();
  for (const Judged& judged : report.gates) write_gate(out, judged);
  out.end_array().end_object();
  return out.take() + "\n";
}

}  // namespace mie::bench
