#include "bench/quality/report.h"

#include "core/base/build_info.h"
#include "server/json/response_write.h"

#include <fmt/format.h>

namespace mie::quality {
namespace {

using json::JsonWriter;

std::string named(const Variant& variant) {
  std::string name = variant.backend;
  for (const std::string* part : {&variant.numerics, &variant.isa}) {
    if (!part->empty()) name += " " + *part;
  }
  return name + ", KV " + variant.kv_dtype;
}

void write(JsonWriter& out, const Variant& variant) {
  out.begin_object()
      .member("backend", std::string_view(variant.backend))
      .member("numerics", std::string_view(variant.numerics))
      .member("isa", std::string_view(variant.isa))
      .member("kv_dtype", std::string_view(variant.kv_dtype))
      .end_object();
}

void write(JsonWriter& out, const Summary& summary) {
  out.begin_object().member("positions", summary.n_positions);
  out.key("mean_kl").number(summary.mean_kl).key("mean_kl_error").number(summary.mean_kl_error);
  out.key("median_kl").number(summary.median_kl).key("p99_kl").number(summary.p99_kl).key("max_kl").number(summary.max_kl);
  out.key("greedy_agreement").number(summary.greedy_agreement);
  out.key("reference_perplexity").number(summary.reference_perplexity).key("perplexity").number(summary.perplexity);
  out.key("max_logprob_difference").number(summary.max_logprob_difference);
  out.key("rms_probability_difference").number(summary.rms_probability_difference).end_object();
}

}  // namespace

std::string as_table(const QualityReport& report) {
  const Summary& first = report.rows.front().summary;
  std::string out = fmt::format("text       {}, sha256 {}\n", report.text_file, report.text_sha256.substr(0, 16));
  out += fmt::format("           {} positions, the second halves of chunks of {} tokens\n", first.n_positions, report.chunk);
  out +=
      fmt::format("model      {}, sha256 {}, {}\n", report.model_file, report.model_sha256.substr(0, 16), report.weight_format);
  out += fmt::format("reference  {}: perplexity {:.4f}\n\n", named(report.reference), first.reference_perplexity);
  out += fmt::format("{:<38} {:>21} {:>10} {:>9} {:>9} {:>12} {:>11} {:>13} {:>8}\n", "", "mean KL, nats", "median", "p99",
                     "max", "same greedy", "perplexity", "max |Δlogp|", "RMS Δp");
  for (const auto& [variant, summary] : report.rows) {
    out += fmt::format("{:<38} {:>10.3e} ± {:>8.1e} {:>10.2e} {:>9.2e} {:>9.2e} {:>10.2f} % {:>11.4f} {:>12.3f} {:>6.2f} %\n",
                       named(variant), summary.mean_kl, summary.mean_kl_error, summary.median_kl, summary.p99_kl,
                       summary.max_kl, 100 * summary.greedy_agreement, summary.perplexity, summary.max_logprob_difference,
                       100 * summary.rms_probability_difference);
  }
  return out;
}

std::string as_json(const QualityReport& report) {
  const BuildInfo build = build_info();
  JsonWriter out;
  out.begin_object().member("version", build.version).member("commit", build.commit).member("compiler", build.compiler);
  out.key("text").begin_object();
  out.member("file", std::string_view(report.text_file)).member("sha256", std::string_view(report.text_sha256));
  out.member("tokens_sha256", std::string_view(report.tokens_sha256));
  out.member("chunk", report.chunk).end_object();
  out.key("model").begin_object();
  out.member("file", std::string_view(report.model_file)).member("sha256", std::string_view(report.model_sha256));
  out.member("architecture", std::string_view(report.architecture));
  out.member("weight_format", std::string_view(report.weight_format)).end_object();
  out.key("reference");
  write(out, report.reference);
  out.key("figures").begin_array();
  for (const auto& [variant, summary] : report.rows) {
    out.begin_object().key("variant");
    write(out, variant);
    out.key("summary");
    write(out, summary);
    out.end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace mie::quality
