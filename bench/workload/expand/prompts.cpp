#include "bench/workload/expand/prompts.h"

#include <algorithm>

namespace mie::bench {
namespace {

std::unique_ptr<Law> zipf_of(const PrefixSpec& spec) {
  if (spec.kind != PrefixKind::kZipfGroups) return nullptr;
  LengthSpec law;
  law.law = LengthLaw::kZipf;
  law.s = spec.s;
  law.n = spec.n;
  return make_law(law, Domain::kTokens);
}

// Warm-up requests count from the middle, so that no two salts are equal.
std::uint32_t salt_of(Phase phase, std::size_t number) {
  return static_cast<std::uint32_t>(number) + (phase == Phase::kWarmup ? 1U << 31U : 0);
}

void replace_all(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace

Prompts::Prompts(const WorkloadSpec& spec, const Inputs& inputs)
    : spec_(spec), inputs_(inputs), content_(spec, inputs), groups_("content", spec.seed), zipf_(zipf_of(spec.prefix)) {}

// A session keeps its prefix: groups go by sessions, which without sessions are requests.
void Prompts::append_prefix(std::vector<int>& ids, std::uint64_t index, std::uint64_t session) {
  const PrefixSpec& prefix = spec_.prefix;
  switch (prefix.kind) {
    case PrefixKind::kNone:
    case PrefixKind::kTree:
      return;
    case PrefixKind::kShared:
      return content_.append(ids, {PieceKind::kPrefix, 0}, prefix.len);
    case PrefixKind::kGroups: {
      const std::uint64_t group = session / static_cast<std::uint64_t>(prefix.prompts_per_group);
      return content_.append(ids, {PieceKind::kPrefix, group % static_cast<std::uint64_t>(prefix.n)}, prefix.prefix_len);
    }
    case PrefixKind::kZipfGroups: {
      const double u = groups_.uniform(spec_.sessions ? session : index, static_cast<std::uint32_t>(PieceKind::kGroup));
      return content_.append(ids, {PieceKind::kPrefix, static_cast<std::uint64_t>(zipf_->quantile(u)) - 1}, prefix.prefix_len);
    }
  }
}

// Blocks of the path, cut where the prompt ends.
void Prompts::append_tree(std::vector<int>& ids, std::size_t number, int length) const {
  const PrefixSpec& prefix = spec_.prefix;
  if (prefix.kind != PrefixKind::kTree) return;
  const auto& rows = inputs_.lengths.rows;
  const auto& path =
      prefix.hash_ids.empty() ? rows[number % rows.size()].prefix_hash : prefix.hash_ids[number % prefix.hash_ids.size()];
  for (const std::int64_t hash : path) {
    const int room = length - static_cast<int>(ids.size());
    content_.append(ids, {PieceKind::kBlock, static_cast<std::uint64_t>(hash)}, std::clamp(room, 0, prefix.block));
  }
}

void Prompts::append_history(std::vector<int>& ids, const PlannedRequest& request, const Lengths& lengths,
                             std::uint64_t index) {
  std::vector<int>& history = histories_[request.session];
  ids.insert(ids.end(), history.begin(), history.end());
  content_.append(history, {PieceKind::kOwn, index}, lengths.prompt);
  content_.append(history, {PieceKind::kAnswer, index}, lengths.output);
}

void Prompts::copy_line(PlannedRequest& request, std::size_t number) const {
  const FilePrompt& line = inputs_.prompts[number % inputs_.prompts.size()];
  request.text = line.text;
  for (const std::int64_t token : line.tokens) request.prompt.emplace_back(static_cast<std::int32_t>(token));
}

void Prompts::set_text(PlannedRequest& request, const std::vector<int>& ids, std::uint64_t index) const {
  request.text = content_.text(ids);
  if (spec_.prompt.content.unique_salt) request.text = "r" + std::to_string(index) + " " + request.text;
  if (spec_.prompt.source != PromptSource::kTextTemplate) return;
  std::string text = inputs_.prompt_template;
  replace_all(text, "{index}", std::to_string(index));
  replace_all(text, "{content}", request.text);
  request.text = std::move(text);
}

void Prompts::fill(PlannedRequest& request, Phase phase, std::size_t number, const Lengths& lengths) {
  request.output_tokens = lengths.output;
  if (spec_.prompt.source == PromptSource::kFile) return copy_line(request, number);
  const std::uint64_t index = phase == Phase::kWarmup ? warmup_index(number) : number;
  std::vector<int> ids;
  append_prefix(ids, index, phase == Phase::kWarmup ? number : static_cast<std::uint64_t>(request.session));
  append_tree(ids, number, lengths.prompt);
  const int left = lengths.prompt - (spec_.prefix.kind == PrefixKind::kTree ? static_cast<int>(ids.size()) : 0);
  const bool history = spec_.sessions && spec_.sessions->keep_history && phase == Phase::kLoad;
  if (history) append_history(ids, request, lengths, index);
  content_.append(ids, {PieceKind::kOwn, index}, left);
  // Turns that repeat those before them begin like them.
  const std::uint32_t salt = history ? static_cast<std::uint32_t>(request.session) : salt_of(phase, number);
  if (spec_.prompt.form == PromptForm::kText) return set_text(request, ids, salt);
  if (spec_.prompt.content.unique_salt) content_.salt(ids, salt);
  request.prompt.reserve(ids.size());
  for (const int id : ids) request.prompt.emplace_back(id);
}

}  // namespace mie::bench
