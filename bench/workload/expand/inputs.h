// The files that a workload is made from besides its specification, read and hashed. Values; any thread.
#pragma once

#include "bench/workload/spec/workload_spec.h"
#include "bench/workload/trace/trace.h"

#include <filesystem>
#include <string>
#include <vector>

namespace mie::bench {

struct InputFile {
  std::string path;  // as the specification has it
  std::string sha256;
};

// A line of a file of prompts.
struct FilePrompt {
  std::vector<std::int64_t> tokens;
  std::string text;
  std::optional<int> output_tokens;

  void describe(Fields& fields);
};

struct Inputs {
  std::vector<InputFile> files;  // in the order of their paths, each once
  Trace lengths;                 // prompt.source = trace
  Trace arrivals;                // arrival.law = trace
  std::vector<FilePrompt> prompts;
  std::string prompt_template;
  std::vector<std::string> corpus_words;  // of either form; token ids in decimal where prompts are tokens
};

// Paths are relative to `folder`, that of the specification. Errors: kConfig.
Result<Inputs> read_inputs(const WorkloadSpec& spec, const std::filesystem::path& folder);

}  // namespace mie::bench
