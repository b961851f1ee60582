// Beginnings that prompts share. Those of shared, groups and zipf_groups stand before the tokens of prompt.length; a tree's
// blocks are laid over them, as a trace has it. Values; any thread.
#pragma once

#include "bench/workload/document/fields.h"

namespace mie::bench {

enum class PrefixKind : std::uint8_t { kNone, kShared, kGroups, kZipfGroups, kTree };

struct PrefixSpec {
  PrefixKind kind = PrefixKind::kNone;
  int len = 0;                                      // shared: tokens
  int n = 0;                                        // groups
  int prompts_per_group = 0;                        // groups: so many requests of a group follow each other
  double s = 0;                                     // zipf_groups: group k is drawn with weight k^-s
  int prefix_len = 0;                               // groups, zipf_groups: tokens
  std::vector<std::vector<std::int64_t>> hash_ids;  // tree: one path of blocks after the other; empty: the trace's
  int block = 512;                                  // tree: tokens

  void describe(Fields& fields);
};

}  // namespace mie::bench
