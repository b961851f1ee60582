#include "bench/workload/spec/prompt_spec.h"

#include <array>

namespace mie::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::array kSources = {"synthetic"sv, "file"sv, "trace"sv, "template"sv};
constexpr std::array kForms = {"tokens"sv, "text"sv};
constexpr std::array kKinds = {"repeat_id"sv, "random_ids"sv, "corpus"sv};

}  // namespace

void ContentSpec::describe(Fields& fields) {
  fields.choice("kind", kind, kKinds);
  if (kind == ContentKind::kRepeatId) fields.field("id", id);
  fields.field("vocab_min", vocab_min);
  fields.field("vocab_max", vocab_max);
  if (vocab_max - vocab_min < 15) fields.refuse("vocab_max", "must be at least 15 above vocab_min");
  if (kind == ContentKind::kCorpus) {
    fields.required("file");
    fields.field("file", file);
  }
  fields.field("unique_salt", unique_salt);
}

void PromptSpec::describe(Fields& fields) {
  fields.choice("source", source, kSources);
  fields.choice("form", form, kForms);
  if (source != PromptSource::kSynthetic) {
    fields.required("file");
    fields.field("file", file);
  }
  if (source == PromptSource::kTrace && !fields.writing()) length = LengthSpec::of_trace(TraceColumn::kPromptTokens);
  if (source == PromptSource::kSynthetic || source == PromptSource::kTextTemplate) fields.required("length");
  if (source != PromptSource::kFile) fields.field("length", length);
  fields.field("content", content);
  if (source == PromptSource::kTextTemplate && form != PromptForm::kText) fields.refuse("form", "must be text with a template");
}

}  // namespace mie::bench
