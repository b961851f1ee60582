#include "core/text/chat_template.h"

#include "core/base/ensure.h"
#include "core/text/jinja/dict.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/string_ops.h"
#include "core/text/jinja/template.h"
#include "core/text/jinja/try.h"

#include <algorithm>

namespace mie {

using jinja::MarkedString;
using jinja::Origin;
using jinja::Value;

struct ChatTemplate::Parsed {
  jinja::Template program;
  std::string bos_token, eos_token;
  TemplateClock clock;
};

namespace {

// transformers' way to find where the final message ends in the output: the message gets this text at its end, and the
// output is cut before it. A template that trims the message leaves the tag without its last space.
constexpr std::string_view kTag = "CONTINUE_FINAL_MESSAGE_TAG ";
constexpr std::string_view kTrimmedTag = kTag.substr(0, kTag.size() - 1);

Value tagged(const MarkedString& text) {
  MarkedString with_tag = text;
  with_tag.append(kTag, Origin::kInput);
  return Value::string(std::move(with_tag));
}

Value with_entry(const jinja::Dict& dict, std::string_view key, Value value) {
  jinja::Dict changed = dict;
  changed.set(Value::text(std::string(key)), std::move(value));
  return Value::dict(std::move(changed));
}

// The content with the tag at the end of its text, or of its last text part; nothing if it has no text.
std::optional<Value> tagged_content(const Value& content) {
  if (content.is(jinja::Kind::kString)) return tagged(content.as_string());
  if (!content.is_sequence()) return std::nullopt;
  std::vector<Value> parts = content.as_items();
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    const Value* text = part->is(jinja::Kind::kDict) ? part->as_dict().find("text") : nullptr;
    if (text == nullptr || !text->is(jinja::Kind::kString)) continue;
    *part = with_entry(part->as_dict(), "text", tagged(text->as_string()));
    return Value::list(std::move(parts));
  }
  return std::nullopt;
}

Result<Value> with_tagged_final_message(const Value& messages) {
  Error nothing = jinja::failure("continue_final_message is set but the final message has no text to continue");
  if (!messages.is_sequence() || messages.as_items().empty()) return nothing;
  std::vector<Value> tagged_messages = messages.as_items();
  Value& last = tagged_messages.back();
  const Value* content = last.is(jinja::Kind::kDict) ? last.as_dict().find("content") : nullptr;
  if (content == nullptr) return nothing;
  std::optional<Value> with_tag = tagged_content(*content);
  if (!with_tag) return nothing;
  last = with_entry(last.as_dict(), "content", *std::move(with_tag));
  return Value::list(std::move(tagged_messages));
}

Result<MarkedString> cut_at_tag(MarkedString text) {
  const std::size_t found = text.text().rfind(kTrimmedTag);
  if (found == std::string::npos)
    return jinja::failure(
        "continue_final_message is set but the final message does not appear in the chat after applying the chat template");
  const bool whole = text.text().compare(found, kTag.size(), kTag) == 0;
  text.truncate(found);
  if (!whole) text = jinja::strip(text, std::nullopt, jinja::Side::kRight);
  return text;
}

}  // namespace

ChatTemplate::ChatTemplate(std::unique_ptr<Parsed> parsed) : parsed_(std::move(parsed)) {}
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;
ChatTemplate::~ChatTemplate() = default;

Result<ChatTemplate> ChatTemplate::parse(std::string source, std::string bos_token, std::string eos_token,
                                         TemplateClock clock) {
  ENSURE(clock != nullptr, "a chat template needs a clock");
  MIE_TRY(jinja::Template program, jinja::Template::parse(source));
  return ChatTemplate(
      std::unique_ptr<Parsed>(new Parsed{std::move(program), std::move(bos_token), std::move(eos_token), std::move(clock)}));
}

Result<RenderedPrompt> ChatTemplate::render(const Value& messages, const ChatTemplateOptions& options) const {
  Value given = messages;
  if (options.continue_final_message) {
    MIE_TRY(given, with_tagged_final_message(messages));
  }
  jinja::Variables variables = options.kwargs;
  variables.emplace_back("messages", std::move(given));
  variables.emplace_back("tools", Value::none());
  variables.emplace_back("documents", Value::none());
  variables.emplace_back("bos_token", Value::text(parsed_->bos_token));
  variables.emplace_back("eos_token", Value::text(parsed_->eos_token));
  variables.emplace_back("add_generation_prompt",
                         Value::boolean(options.add_generation_prompt && !options.continue_final_message));
  jinja::Runtime runtime(jinja::RenderLimits{}, *parsed_->clock, options.now_unix_seconds);
  MIE_TRY(MarkedString text, parsed_->program.render(variables, runtime));
  if (options.continue_final_message) {
    MIE_TRY(text, cut_at_tag(std::move(text)));
  }
  return RenderedPrompt{text.text(), text.marks()};
}

}  // namespace mie
