#include "bench/workload/cli/trace_command.h"

#include "bench/workload/trace/public_traces.h"
#include "server/exit_codes.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>

namespace mie {
namespace {

const std::map<std::string, bench::TraceFormat>& formats() {
  static const std::map<std::string, bench::TraceFormat> kFormats = {{"mie", bench::TraceFormat::kMie},
                                                                     {"mooncake", bench::TraceFormat::kMooncake},
                                                                     {"burstgpt", bench::TraceFormat::kBurstGpt},
                                                                     {"azure", bench::TraceFormat::kAzure}};
  return kFormats;
}

}  // namespace

TraceBench::TraceBench(CLI::App& command) {
  command.require_subcommand(1);
  CLI::App& convert = *command.add_subcommand("convert", "A public trace as our JSON lines, in the order of its times");
  convert.add_option("FILE", path_, "the trace")->required()->type_name("");
  convert.add_option("--from", from_, "its format: mooncake, burstgpt, azure or mie")
      ->required()
      ->check(CLI::IsMember(formats()));
  convert.add_option("--out", out_, "file to write; - for the standard output")->required()->type_name("FILE");
}

Result<int> TraceBench::run() {
  const auto trace = bench::read_public_trace(path_, formats().at(from_));
  if (trace.has_error()) return trace.error();
  const std::string lines = bench::trace_lines(*trace);
  if (out_ == "-") {
    std::fputs(lines.c_str(), stdout);
    return kExitClean;
  }
  std::ofstream out(out_, std::ios::binary);
  out << lines << std::flush;
  if (!out) return Error{Errc::kConfig, "cannot write " + out_, ""};
  return kExitClean;
}

}  // namespace mie
