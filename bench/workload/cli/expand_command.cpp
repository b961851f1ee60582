#include "bench/workload/cli/expand_command.h"

#include "bench/workload/spec_file.h"
#include "server/exit_codes.h"
#include "server/json/response_write.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

namespace mie {
namespace {

using bench::ExpandedWorkload;
using bench::PlannedRequest;
using bench::WorkloadSpec;

// One object a line, also where a [sweep] table makes many.
void print_json(const WorkloadSpec& spec, const ExpandedWorkload& expanded) {
  json::JsonWriter head;
  head.begin_object().member("expanded_sha256", std::string_view(expanded.sha256())).key("files").begin_array();
  for (const bench::InputFile& file : expanded.files)
    head.begin_object()
        .member("path", std::string_view(file.path))
        .member("sha256", std::string_view(file.sha256))
        .end_object();
  head.end_array().member("name", std::string_view(spec.name)).member("schema", "mie.expanded/1");
  head.member("spec_sha256", std::string_view(bench::spec_sha256(spec))).key("requests").begin_array();
  std::fputs(head.text().c_str(), stdout);
  const char* separator = "";
  for (const PlannedRequest& request : expanded.requests) {
    std::fprintf(stdout, "%s%s", separator, bench::request_json(request).c_str());
    separator = ",";
  }
  std::fputs("]}\n", stdout);
}

struct Sums {
  std::int64_t n = 0, n_warmup = 0, n_cancel = 0, n_slow = 0;
  std::int64_t prompt = 0, output = 0, longest = 0;  // tokens; of the load
  double last_s = 0;
};

Sums sums_of(const ExpandedWorkload& expanded) {
  Sums sums;
  for (const PlannedRequest& request : expanded.requests) {
    const auto n_prompt = std::ssize(request.prompt);
    sums.longest = std::max(sums.longest, n_prompt + request.output_tokens);
    if (request.intended) sums.last_s = std::max(sums.last_s, std::chrono::duration<double>(*request.intended).count());
    if (request.warmup) {
      ++sums.n_warmup;
      continue;
    }
    ++sums.n;
    sums.prompt += n_prompt;
    sums.output += request.output_tokens;
    sums.n_cancel += int{request.cancel.after || request.cancel.after_tokens};
    sums.n_slow += int{request.read_bytes_per_s.has_value()};
  }
  return sums;
}

void print_summary(const WorkloadSpec& spec, const ExpandedWorkload& expanded) {
  const Sums sums = sums_of(expanded);
  std::string text = fmt::format("{}\n  requests         {} and {} to warm up\n", spec.name, sums.n, sums.n_warmup);
  text +=
      spec.prompt.form == bench::PromptForm::kTokens
          ? fmt::format("  prompt tokens    {}\n  longest request  {} tokens, prompt and answer\n", sums.prompt, sums.longest)
          : "  prompt tokens    not known: prompts are text\n";
  text += fmt::format("  output tokens    {}\n", sums.output);
  text += spec.arrival.open() ? fmt::format("  last arrival     {:.3f} s\n", sums.last_s)
                              : fmt::format("  in flight        {} (closed loop)\n", spec.arrival.concurrency);
  if (sums.n_cancel > 0) text += fmt::format("  go away          {}\n", sums.n_cancel);
  if (sums.n_slow > 0) text += fmt::format("  read slowly      {}\n", sums.n_slow);
  text += fmt::format("  spec_sha256      {}\n  expanded_sha256  {}\n", bench::spec_sha256(spec), expanded.sha256());
  std::fputs(text.c_str(), stdout);
}

}  // namespace

ExpandBench::ExpandBench(CLI::App& command) {
  command.add_option("SPEC", path_, "workload specification, TOML or JSON")->required()->type_name("");
  command.add_option("--format", format_, "json: the list itself, one object for each cell of a sweep; summary [summary]")
      ->check(CLI::IsMember({"json", "summary"}));
}

Result<int> ExpandBench::run() {
  const auto file = bench::load_spec_file(path_);
  if (file.has_error()) return file.error();
  for (const WorkloadSpec& spec : file->cells) {
    const auto expanded = bench::expand(spec, file->folder);
    if (expanded.has_error()) return expanded.error();
    (format_ == "json" ? print_json : print_summary)(spec, *expanded);
  }
  return kExitClean;
}

}  // namespace mie
