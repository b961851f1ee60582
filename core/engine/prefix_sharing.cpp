#include "core/engine/prefix_sharing.h"

#include "core/base/ensure.h"

#include <algorithm>

namespace mie {
namespace {

// Without a prefix cache the choices of a prompt share among themselves alone.
std::string_view salt_of(const LiveRequest& live, bool caches) {
  return caches || live.group == nullptr ? std::string_view(live.seq.request().cache_salt) : live.group->salt;
}

// A choice of the same prompt, before this one in line, that is still to compute it.
bool awaits_prompt(const LiveRequest& live) {
  if (live.preempted()) return false;
  const auto& choices = live.group->choices;
  const auto self = std::find(choices.begin(), choices.end(), &live);
  return std::any_of(choices.begin(), self,
                     [&](const LiveRequest* other) { return other->seq.n_computed() < live.seq.n_prompt(); });
}

// A choice that has the whole prompt in its blocks.
const Sequence* source_of(const LiveRequest& live) {
  for (const LiveRequest* other : live.group->choices) {
    if (other != &live && other->seq.n_computed() >= live.seq.n_prompt()) return &other->seq;
  }
  return nullptr;
}

}  // namespace

PrefixSharing::PrefixSharing(BlockPool& pool, const EngineOptions& options)
    : index_(pool, options.block_size, options.prefix_secret),
      pool_(pool),
      block_size_(options.block_size),
      caches_(options.prefix_caching) {}

bool PrefixSharing::shares(const LiveRequest& live) const { return caches_ || live.group != nullptr; }

void PrefixSharing::begin(std::span<LiveRequest* const> running) {
  computing_.clear();
  for (const LiveRequest* live : running) {
    const auto known = live->seq.blocks().blocks().first(static_cast<std::size_t>(live->n_published));
    if (const auto next = next_block(*live, known)) computing_.push_back(*next);
  }
}

void PrefixSharing::look_up(LiveRequest& live) {
  PromptStart& start = live.start;
  start.n_copied = 0;
  start.held = false;
  if (!shares(live) || live.seq.request().wants_prompt_logits()) return;
  index_.find(live.seq.tokens(), salt_of(live, caches_), (live.seq.n_total() - 1) / block_size_, start.match);
  if (const auto next = next_block(live, start.match.blocks)) {
    start.held = std::ranges::find(computing_, *next) != computing_.end();
    if (!start.held) computing_.push_back(*next);
  }
  if (live.group != nullptr) {
    const Sequence* source = source_of(live);
    if (source != nullptr) copy_prompt(live, *source);
    start.held = start.held || (source == nullptr && awaits_prompt(live));
  }
  const auto unused = [this](BlockId block) { return pool_.n_references(block) == 0; };
  start.n_own_blocks = static_cast<int>(std::ranges::count_if(start.match.blocks, unused));
}

std::optional<std::uint64_t> PrefixSharing::next_block(const LiveRequest& live, std::span<const BlockId> known) const {
  const auto length = static_cast<std::size_t>(block_size_);
  const auto tokens = live.seq.tokens();
  if (!shares(live) || (known.size() + 1) * length >= tokens.size()) return {};
  const auto before = known.empty() ? std::optional<BlockId>() : known.back();
  return index_.hash_of(tokens.subspan(known.size() * length, length), salt_of(live, caches_), before);
}

// Behind the full blocks of the prompt, which both have then, the tokens of its last block but the very last one.
void PrefixSharing::copy_prompt(LiveRequest& live, const Sequence& source) const {
  const int n_full = (live.seq.n_prompt() - 1) / block_size_;
  if (static_cast<int>(live.start.match.blocks.size()) != n_full) return;  // it has found more, behind its prompt
  live.start.n_copied = (live.seq.n_prompt() - 1) % block_size_;
  live.start.copied_from = source.blocks().blocks()[static_cast<std::size_t>(n_full)];
}

void PrefixSharing::publish(LiveRequest& live) {
  if (!shares(live)) return;
  Sequence& seq = live.seq;
  for (; (live.n_published + 1) * block_size_ <= seq.n_computed(); ++live.n_published) {
    const auto n = static_cast<std::size_t>(live.n_published);
    const auto blocks = seq.blocks().blocks();
    const auto before = n == 0 ? std::optional<BlockId>() : blocks[n - 1];
    const auto tokens = seq.tokens().first((n + 1) * static_cast<std::size_t>(block_size_));
    const BlockId known = index_.add(tokens, salt_of(live, caches_), before, blocks[n]);
    if (known != blocks[n]) seq.blocks().replace(live.n_published, known);
  }
}

void PrefixSharing::ended(const ChoiceGroup& group) {
  if (!caches_ && group.choices.empty()) index_.flush();
}

int PrefixSharing::make_free(int n) {
  const int n_evicted = index_.make_free(n);
  ENSURE(pool_.n_free() >= n, "the plan takes more blocks than are available");
  return n_evicted;
}

}  // namespace mie
