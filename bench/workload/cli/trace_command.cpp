#include "bench/workload/cli/trace_command.h"

#include "bench/workload/trace/captured_trace.h"
#include "bench/workload/trace/public_traces.h"
#include "server/exit_codes.h"
#include "server/record/record_lines.h"

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

Result<bench::Trace> captured(const std::string& path, int block) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{Errc::kConfig, path + ": cannot be read", ""};
  const auto record = read_record(in);
  if (record.has_error()) return Error{Errc::kConfig, path + ": " + record.error().message, ""};
  return bench::captured_trace(*record, block > 0 ? block : record->header.block_size);
}

}  // namespace

TraceBench::TraceBench(CLI::App& command) {
  command.require_subcommand(1);
  CLI::App& convert = *command.add_subcommand("convert", "A public trace as our JSON lines, in the order of its times");
  convert.add_option("FILE", path_, "the trace")->required()->type_name("");
  convert.add_option("--from", from_, "its format: mooncake, burstgpt, azure or mie")
      ->required()
      ->check(CLI::IsMember(formats()));
  capture_ =
      command.add_subcommand("capture", "What our server was asked: from a recording, made with mie serve --record FILE");
  capture_->add_option("FILE", path_, "the recording")->required()->type_name("");
  capture_->add_option("--block", block_, "tokens of a block of prefix_hash; 0: the recorded engine's blocks [0]")
      ->type_name("N")
      ->check(CLI::Range(0, 1 << 20));
  for (CLI::App* each : {&convert, capture_})
    each->add_option("--out", out_, "file to write; - for the standard output")->required()->type_name("FILE");
}

Result<int> TraceBench::run() {
  const auto trace = capture_->parsed() ? captured(path_, block_) : bench::read_public_trace(path_, formats().at(from_));
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
