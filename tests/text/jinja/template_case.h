// A golden case of a template: what it is rendered with and what jinja2 made of it (see make_template_golden.py).
#pragma once

#include "core/base/error.h"
#include "core/text/chat_template.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mie::test {

struct TemplateCase {
  std::string name, source;
  jinja::Value messages;
  ChatTemplateOptions options;
  std::optional<std::string> output;  // none: an error
  std::string error;                  // "syntax" or "render"
  std::string words;                  // of a render error
  int line = 0;                       // of a syntax error; 0 where Python names none
};

// Throws std::runtime_error if the file cannot be read.
std::vector<TemplateCase> read_template_cases(const std::filesystem::path& file);

Result<RenderedPrompt> render(const TemplateCase& test_case);

}  // namespace mie::test
