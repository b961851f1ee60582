// result.json, member by member in the order of its schema.
#include "bench/result/figures_json.h"
#include "bench/result/probe_json.h"
#include "bench/result/result_files.h"
#include "bench/result/shell_line.h"
#include "bench/result/steps_json.h"
#include "core/base/build_info.h"

#include <fmt/format.h>

#include <algorithm>

namespace mie::bench {
namespace {

using json::JsonWriter;

void write_tool(JsonWriter& out) {
  const BuildInfo build = build_info();
  out.key("tool").begin_object().member("name", "mie bench").member("version", build.version);
  out.member("git_commit", build.commit).member("build_type", build.build_type).member("compiler", build.compiler);
  out.end_object();
}

// Members of a JSON text that was read from a server, as they are.
void raw_or_null(JsonWriter& out, std::string_view name, const std::string& json) {
  out.key(name);
  json.empty() ? out.null() : out.raw(json);
}

void write_sums(JsonWriter& out, std::string_view name, const MetricSums& sums) {
  out.key(name).begin_object();
  for (const auto& [series, sum] : sums) out.key(series).number(sum);
  out.end_object();
}

void write_identity(JsonWriter& out, const ServerFacts& server) {
  const ServerIdentity of = identity_of(server.model_json);
  out.key("identity").begin_object();
  out.member_or_null("weights_sha256", of.weights_sha256).member_or_null("tokenizer_sha256", of.tokenizer_sha256);
  out.member_or_null("revision", of.revision).member_or_null("dtype", of.dtype);
  out.member_or_null("quantisation", of.quantisation).member_or_null("kv_dtype", of.kv_dtype).end_object();
}

void write_arm(JsonWriter& out, const RunResult& result, const ArmResult& arm) {
  out.begin_object().member("name", std::string_view(arm.name));
  out.member("flags", arm.flags);
  out.member_or_null("model", arm.server.model);
  write_identity(out, arm.server);
  raw_or_null(out, "version", arm.server.version_json);
  raw_or_null(out, "models", arm.server.models_json);
  raw_or_null(out, "model_card", arm.server.model_json);
  out.key("peak_resident_bytes");
  arm.peak_bytes ? out.integer(*arm.peak_bytes) : out.null();
  out.key("loads").begin_array();
  for (const Repetition& repetition : result.repetitions) {
    if (repetition.arm != arm.name) continue;
    out.begin_object().member("repetition", repetition.number);
    write_sums(out, "metrics_before", repetition.before);
    write_sums(out, "metrics_after", repetition.after);
    out.end_object();
  }
  out.end_array().end_object();
}

void write_server(JsonWriter& out, const RunResult& result) {
  out.key("server").begin_object();
  out.member_or_null("url", result.spec.target.url);
  out.key("arms").begin_array();
  for (const ArmResult& arm : result.arms) write_arm(out, result, arm);
  out.end_array().end_object();
}

// Who answered, whatever the specification says; of a simulated one, what its steps are taken to cost.
void write_target(JsonWriter& out, const RunResult& result) {
  out.key("target").begin_object().member("kind", name_of(result.target));
  if (!result.cost_model_json.empty()) out.key("cost_model").raw(result.cost_model_json);
  out.end_object();
}

void write_probes(JsonWriter& out, const RunResult& result) {
  if (!result.probe_before || !result.probe_after) {
    out.null_member("probe");
    return;
  }
  out.key("probe").begin_object();
  write_probe(out, "before", *result.probe_before);
  write_probe(out, "after", *result.probe_after);
  out.end_object();
}

void write_client(JsonWriter& out, const RunResult& result) {
  out.key("client").begin_array();
  for (const Repetition& repetition : result.repetitions) {
    const ClientFigures& of = repetition.client;
    out.begin_object().member("arm", std::string_view(repetition.arm)).member("repetition", repetition.number);
    out.key("lateness_p50_s").number(of.lateness_p50).key("lateness_p99_s").number(of.lateness_p99);
    out.key("lateness_max_s").number(of.lateness_max).key("cpu_share").number(of.cpu_share);
    out.key("spin_share").number(of.spin_share).key("loop_gap_max_s").number(of.loop_gap_max);
    out.key("run_queue_share").number(of.run_queue_share).key("coalesced_share").number(of.coalesced_share);
    out.member("sockets", of.connections).member("send_errors", of.connect_errors);
    out.member("parse", repetition.parse == ParseMode::kLate ? "late" : "live").end_object();
  }
  out.end_array();
}

// Where a load stopped that was to go on until a figure is known precisely.
void write_precision(JsonWriter& out, const RunResult& result) {
  const auto& wanted = result.spec.requests.precision;
  if (!wanted) {
    out.null_member("precision");
    return;
  }
  out.key("precision").begin_object().member("metric", name_of(wanted->metric)).key("quantile").number(wanted->quantile);
  out.key("rel_ci").number(wanted->rel_ci).key("max_s").number(wanted->max_s).key("looks").begin_array();
  for (const PrecisionLook& look : result.looks) {
    out.begin_object().key("load_s").number(look.load_s).member("n", look.n);
    out.member_or_null("estimate_s", look.estimate_s);
    out.member_or_null("half_width_s", look.half_width_s);
    out.key("confidence").number(look.confidence).member("precise", look.precise).end_object();
  }
  out.end_array().member("reached", !result.looks.empty() && result.looks.back().precise);
  out.key("stopped_at_s").number(result.looks.empty() ? 0 : result.looks.back().load_s).end_object();
}

void write_checks(JsonWriter& out, const RunResult& result) {
  out.key("checks").begin_object();
  for (const Check& check : result.checks) {
    out.key(check.name).begin_object().member("checked", check.n_checked).member("failed", check.n_failed);
    out.member("samples", check.failed);
    out.end_object();
  }
  out.end_object();
}

// Of requests that failed, the first texts of each status.
void write_errors(JsonWriter& out, const RunResult& result) {
  constexpr int kSamples = 5;
  std::map<RequestStatus, int> seen;
  out.key("errors").begin_array();
  for (const RequestRecord& record : result.records) {
    if (record.error.empty() || seen[record.status]++ >= kSamples) continue;
    out.begin_object().member("status", name_of(record.status)).member("error", std::string_view(record.error)).end_object();
  }
  out.end_array();
}

}  // namespace

std::string result_json(const RunResult& result) {
  JsonWriter out;
  out.begin_object().member("schema", "mie.result/1").member("run_id", std::string_view(result.run_id));
  out.member("created_utc", std::string_view(result.created_utc)).member("seed", result.spec.seed);
  const std::string command = shell_line(result.command_line);
  out.member("command_line", std::string_view(command));
  write_tool(out);
  out.key("spec").raw(canonical_json(result.spec)).member("spec_text", std::string_view(result.spec_text));
  out.member("spec_sha256", std::string_view(spec_sha256(result.spec)));
  out.member("expanded_sha256", std::string_view(result.expanded_sha256));
  write_target(out, result);
  out.key("host");
  write_host(out, result.host, result.host_before, result.host_after);
  out.null_member("accelerator");
  write_server(out, result);
  write_probes(out, result);
  write_client(out, result);
  out.key("windows").begin_object().key("steady").begin_object().member("a_ns", result.window.begin_ns);
  out.member("b_ns", result.window.end_ns).end_object().end_object();
  write_counts(out, result);
  write_metrics(out, result);
  write_goodput(out, result);
  write_throughput(out, result);
  write_timeseries(out, result);
  write_histograms(out, result);
  write_phase_split(out, result);
  write_repetitions(out, result);
  write_steps(out, result);
  write_precision(out, result);
  write_checks(out, result);
  write_errors(out, result);
  out.member("warnings", result.warnings);
  out.key("validity").begin_object().member("state", name_of(result.validity.state));
  out.member("reasons", result.validity.reasons);
  out.end_object().key("reproduce").begin_object();
  out.member("commands", std::vector{command});
  return out.end_object().end_object().take();
}

}  // namespace mie::bench
