// `mie generate`: one prompt or chat turn in the terminal, through the same checks, engine and text as the server. Text to
// stdout as it comes, figures to stderr; with --json the body that the server would answer.
#pragma once

#include "server/api/answer_json.h"
#include "server/cli/command_line.h"
#include "server/model_loader.h"

#include <optional>

namespace mie {

class GenerateCommand {
 public:
  explicit GenerateCommand(CLI::App& command);
  ~GenerateCommand();
  Result<int> run();  // the exit code; an error is exit code 2

 private:
  struct Asked;  // what the flags said
  int generate(const Config& config, LoadedModel loaded, const std::string& prompt);
  [[nodiscard]] std::string request_body(const std::string& prompt) const;
  [[nodiscard]] api::GenerationKind kind() const;

  ConfigFlags flags_;
  std::unique_ptr<Asked> asked_;
};

}  // namespace mie
