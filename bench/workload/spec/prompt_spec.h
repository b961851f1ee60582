// Prompts: where they come from, how long they are, what is in them. Values; any thread.
#pragma once

#include "bench/workload/spec/length_spec.h"

namespace mie::bench {

enum class PromptSource : std::uint8_t { synthetic, file, trace, text_template };
enum class PromptForm : std::uint8_t { tokens, text };
enum class ContentKind : std::uint8_t { repeat_id, random_ids, corpus };

struct ContentSpec {
  ContentKind kind = ContentKind::random_ids;
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
  PromptSource source = PromptSource::synthetic;
  PromptForm form = PromptForm::tokens;
  std::string file;  // of file, trace and template
  std::optional<LengthSpec> length;
  ContentSpec content;

  void describe(Fields& fields);
};

}  // namespace mie::bench
