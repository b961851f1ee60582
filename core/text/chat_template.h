// A model's chat template: messages in, prompt text out, equal to Python's jinja2 with the settings transformers uses.
// Owned by the loaded model. Immutable after parse; render is const and may be called from any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/text/jinja/value.h"
#include "core/text/tokenizer.h"

#include <memory>
#include <string>
#include <vector>

namespace mie {

struct ChatTemplateOptions {
  bool add_generation_prompt = true;
  bool continue_final_message = false;  // the last message stays open-ended: no header, nothing after its text;
                                        // add_generation_prompt then counts as false
  std::vector<std::pair<std::string, jinja::Value>> kwargs;  // chat_template_kwargs, already checked for reserved names
  std::int64_t now_unix_seconds = 0;                         // what strftime_now formats
};

struct RenderedPrompt {
  std::string text;
  std::vector<ByteRange> literal;  // bytes that came from Value::input and keys of a Value::dict: sorted, disjoint
};

// What a render's time budget is measured with.
using TemplateClock = std::shared_ptr<const Clock>;

class ChatTemplate {
 public:
  // Error kModelFormat with line and reason.
  static Result<ChatTemplate> parse(std::string source, std::string bos_token, std::string eos_token,
                                    TemplateClock clock = std::make_shared<SystemClock>());

  // `messages`: a list of mappings. Strings that the client chose are Value::input and stay ordinary text in the prompt; a
  // role, which the server has checked against its list, is Value::text, since templates build control tokens out of it.
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
