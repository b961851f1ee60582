#include "server/cli/trace.h"

#include "server/exit_codes.h"
#include "server/trace/chrome_trace.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>

namespace mie {

TraceCommand::TraceCommand(CLI::App& command) {
  command.require_subcommand(1);
  CLI::App& convert = *command.add_subcommand("export", "Write Chrome trace events, which ui.perfetto.dev opens");
  convert.add_option("FILE", file_, "file of mie serve --step-trace")->required();
  convert.add_option("--out", out_, "file to write")->required()->type_name("FILE");
}

Result<int> TraceCommand::run() {
  std::ifstream in(file_, std::ios::binary);
  if (!in) return Error{Errc::kConfig, "cannot read " + file_, ""};
  const auto lines = read_step_lines(in);
  if (lines.has_error()) return Error{Errc::kConfig, file_ + ": " + lines.error().message, ""};
  std::ofstream out(out_, std::ios::binary);
  out << chrome_trace(*lines) << '\n';
  if (!out.flush()) return Error{Errc::kConfig, "--out: cannot write " + out_, ""};
  std::fprintf(stderr, "[%zu steps, %zu request events", lines->steps.size(), lines->events.size());
  if (lines->n_lost_steps + lines->n_lost_events > 0) {
    std::fprintf(stderr, "; lost to the ring: %lld steps, %lld events", static_cast<long long>(lines->n_lost_steps),
                 static_cast<long long>(lines->n_lost_events));
  }
  std::fputs("]\n", stderr);
  return kExitClean;
}

}  // namespace mie
