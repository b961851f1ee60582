#include "bench/workload/spec/prefix_spec.h"

#include <array>

namespace mie::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::array kKinds = {"none"sv, "shared"sv, "groups"sv, "zipf_groups"sv, "tree"sv};
constexpr IntegerRange kTokens{1, 1 << 20};

void describe_groups(Fields& fields, PrefixSpec& spec) {
  fields.required("n");
  fields.required("prefix_len");
  fields.field("n", spec.n, {1, 1'000'000});
  fields.field("prefix_len", spec.prefix_len, kTokens);
}

}  // namespace

void PrefixSpec::describe(Fields& fields) {
  fields.choice("kind", kind, kKinds);
  switch (kind) {
    case PrefixKind::kNone:
      return;
    case PrefixKind::kShared:
      fields.required("len");
      return fields.field("len", len, kTokens);
    case PrefixKind::kGroups:
      describe_groups(fields, *this);
      fields.required("prompts_per_group");
      return fields.field("prompts_per_group", prompts_per_group, {1, 1'000'000});
    case PrefixKind::kZipfGroups:
      describe_groups(fields, *this);
      fields.required("s");
      return fields.field("s", s, {0, 100});
    case PrefixKind::kTree:
      fields.field("hash_ids", hash_ids);
      return fields.field("block", block, kTokens);
  }
}

}  // namespace mie::bench
