// A model's chat template: messages in, prompt text out, equal to Python's jinja2 with the settings transformers uses.
// Immutable after parse; render is const and may be called from any thread.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/value.h"
#include "core/text/tokenizer.h"

#include <memory>
#include <string>
#include <vector>

namespace mie {

struct ChatTemplateOptions {
  bool add_generation_prompt = true;
  bool continue_final_message = false;  // the last message stays open-ended: no header, nothing after its text
  std::vector<std::pair<std::string, jinja::Value>> kwargs;  // chat_template_kwargs, already checked for reserved names
  std::int64_t now_unix_seconds = 0;    // what strftime_now formats
};

struct RenderedPrompt {
  std::string text;
  std::vector<ByteRange> literal;  // bytes that came from messages or kwargs, not from the template: sorted, disjoint
};

class ChatTemplate {
 public:
  // Error kModelFormat with line and reason.
  static Result<ChatTemplate> parse(std::string source, std::string bos_token, std::string eos_token);

  // `messages`: a list of mappings; every string in it and in kwargs counts as input (see RenderedPrompt::literal).
  // Errors: kTemplateError with the template's own words (raise_exception) or what went wrong; kTemplateLimit.
  [[nodiscard]] Result<RenderedPrompt> render(const jinja::Value& messages, const ChatTemplateOptions& options) const;

  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;
  ~ChatTemplate();

 private:
  struct Parsed;
  explicit ChatTemplate(std::unique_ptr<Parsed> parsed);
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace mie
