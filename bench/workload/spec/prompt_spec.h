// Prompts: where they come from, how long they are, what is in them. Values; any thread.
#pragma once

#include "bench/workload/spec/length_spec.h"

namespace mie::bench {

enum class PromptSource : std::uint8_t { kSynthetic, kFile, kTrace, kTextTemplate };
enum class PromptForm : std::uint8_t { kTokens, kText };
enum class ContentKind : std::uint8_t { kRepeatId, kRandomIds, kCorpus };

struct ContentSpec {
  ContentKind kind = ContentKind::kRandomIds;
  int id = 0;  // repeat_id
  // random_ids and salts, both included. Special ids stand at the ends of the vocabularies we know, and none of those is
  // smaller.
  int vocab_min = 1000;
  int vocab_max = 29999;
  std::string file;          // corpus: token ids with white space between them, or words
  bool unique_salt = false;  // the first tokens differ per request: no accidental prefix hits

  void describe(Fields& fields);
};

struct PromptSpec {
  PromptSource source = PromptSource::kSynthetic;
  PromptForm form = PromptForm::kTokens;
  std::string file;  // of file, trace and template
  std::optional<LengthSpec> length;
  ContentSpec content;

  void describe(Fields& fields);
};

}  // namespace mie::bench
