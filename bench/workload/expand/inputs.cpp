#include "bench/workload/expand/inputs.h"

#include "core/base/file_digest.h"

#include <simdjson.h>

#include <algorithm>
#include <sstream>

namespace mie::bench {
namespace {

class InputReader {
 public:
  InputReader(const WorkloadSpec& spec, std::filesystem::path folder) : spec_(spec), folder_(std::move(folder)) {}

  Result<Inputs> read() {
    for (const auto part : {&InputReader::read_arrivals, &InputReader::read_prompts, &InputReader::read_corpus}) {
      if (auto error = (this->*part)()) return *error;
    }
    std::ranges::sort(inputs_.files, {}, &InputFile::path);
    const auto again = std::ranges::unique(inputs_.files, {}, &InputFile::path);
    inputs_.files.erase(again.begin(), again.end());
    return std::move(inputs_);
  }

 private:
  using Fault = std::optional<Error>;

  // Where the file is, and its hash with the others.
  Result<std::string> found(const std::string& path) {
    std::string full = (folder_ / path).string();
    if (!std::filesystem::is_regular_file(full)) return Error{Errc::kConfig, path + " is not a file", ""};
    const auto digest = sha256_of_file(full);
    if (digest.has_error()) return Error{Errc::kConfig, path + " cannot be read", ""};
    inputs_.files.push_back({path, *digest});
    return full;
  }

  Result<std::string> text_of(const std::string& path) {
    const auto full = found(path);
    if (full.has_error()) return full.error();
    auto text = read_text_file(*full);
    if (text.has_value() && !simdjson::validate_utf8(*text)) return Error{Errc::kConfig, path + " is not UTF-8", ""};
    return text;
  }

  Fault read_trace_into(const std::string& path, Trace& trace) {
    const auto full = found(path);
    if (full.has_error()) return full.error();
    auto rows = read_trace(*full);
    if (rows.has_error()) return rows.error();
    trace = std::move(*rows);
    return {};
  }

  Fault read_arrivals() {
    if (spec_.arrival.law != ArrivalLaw::kTrace) return {};
    return read_trace_into(spec_.arrival.file, inputs_.arrivals);
  }

  Fault read_prompts() {
    switch (spec_.prompt.source) {
      case PromptSource::kSynthetic:
        return {};
      case PromptSource::kTrace:
        return read_trace_into(spec_.prompt.file, inputs_.lengths);
      case PromptSource::kTextTemplate: {
        auto text = text_of(spec_.prompt.file);
        if (text.has_error()) return text.error();
        inputs_.prompt_template = std::move(*text);
        return {};
      }
      case PromptSource::kFile:
        return read_file_prompts();
    }
    return {};
  }

  Fault read_file_prompts() {
    const auto full = found(spec_.prompt.file);
    if (full.has_error()) return full.error();
    auto error = read_lines_of_json(*full, [this](const Document& line) -> Fault {
      FilePrompt prompt;
      if (auto fault = read_fields(line, prompt)) return fault;
      if (prompt.tokens.empty() == (spec_.prompt.form == PromptForm::kTokens))
        return fault_at(line, "tokens", "and text: the line must have what prompt.form says");
      if (!prompt.output_tokens && !spec_.output.length)
        return fault_at(line, "output_tokens", "must be given: there is no output.length");
      inputs_.prompts.push_back(std::move(prompt));
      return {};
    });
    if (!error && inputs_.prompts.empty()) error = Error{Errc::kConfig, spec_.prompt.file + " has no prompts", ""};
    return error;
  }

  Fault read_corpus() {
    const ContentSpec& content = spec_.prompt.content;
    if (content.kind != ContentKind::kCorpus || spec_.prompt.source == PromptSource::kFile) return {};
    const auto text = text_of(content.file);
    if (text.has_error()) return text.error();
    std::istringstream in(*text);
    for (std::string word; in >> word;) {
      const bool id = word.size() <= 9 && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
      if (!id && spec_.prompt.form == PromptForm::kTokens)
        return Error{Errc::kConfig, content.file + " must be token ids with white space between them", ""};
      inputs_.corpus_words.push_back(word);
    }
    if (inputs_.corpus_words.empty()) return Error{Errc::kConfig, content.file + " has no words", ""};
    return {};
  }

  const WorkloadSpec& spec_;
  std::filesystem::path folder_;
  Inputs inputs_;
};

}  // namespace

void FilePrompt::describe(Fields& fields) {
  fields.field("tokens", tokens);
  fields.field("text", text);
  fields.field("output_tokens", output_tokens, IntegerRange{1});
}

Result<Inputs> read_inputs(const WorkloadSpec& spec, const std::filesystem::path& folder) {
  return InputReader(spec, folder).read();
}

}  // namespace mie::bench
