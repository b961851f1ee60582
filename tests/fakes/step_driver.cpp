#include "tests/fakes/step_driver.h"
#include "tests/fakes/run_step.h"

#include <algorithm>
#include <numeric>

namespace mie::test {
namespace {

struct Running {
  std::size_t prompt = 0;         // which
  std::vector<TokenId> tokens;    // prompt and generated
  std::vector<TokenId> drafts{};  // of this step
  std::size_t n_computed = 0;
  bool preempted = false;
  std::vector<std::int32_t> blocks{};
  std::vector<Sampled> sampled{};
};

// Blocks are dealt like cards, highest first, so that no sequence's pages lie side by side or in order.
void deal_blocks(std::vector<Running>& group, int n_tokens, int block_size) {
  const int per_sequence = (n_tokens + block_size - 1) / block_size;
  auto next = static_cast<std::int32_t>(group.size()) * per_sequence;  // block 0 stays unused
  for (int i = 0; i < per_sequence; ++i) {
    for (Running& running : group) running.blocks.push_back(next--);
  }
}

void guess(Running& running, const Arrangement& arrangement, int n_new) {
  running.drafts.clear();
  if (running.sampled.empty() || running.n_computed + 1 != running.tokens.size()) return;
  const int n_sampled = static_cast<int>(running.sampled.size());
  for (int i = n_sampled; i < std::min(n_sampled + arrangement.n_drafts, n_new - 1); ++i) {
    const TokenId right = arrangement.guesses[running.prompt][static_cast<std::size_t>(i)].token;
    running.drafts.push_back(i % 3 == 2 ? TokenId(right.value() ^ 1) : right);
  }
}

// Adds the next rows of one sequence; true if the last of them, and each draft, samples.
bool pack(StepBatch& batch, Running& running, int chunk) {
  const std::size_t n_rows = std::min(running.tokens.size() - running.n_computed, static_cast<std::size_t>(chunk));
  for (std::size_t i = 0; i < n_rows; ++i, ++running.n_computed) {
    batch.tokens.push_back(running.tokens[running.n_computed].value());
    batch.positions.push_back(static_cast<std::int32_t>(running.n_computed));
  }
  for (std::size_t i = 0; i < running.drafts.size(); ++i) {
    batch.tokens.push_back(running.drafts[i].value());
    batch.positions.push_back(static_cast<std::int32_t>(running.n_computed + i));
  }
  batch.row_starts.push_back(static_cast<std::int32_t>(batch.tokens.size()));
  batch.block_tables.insert(batch.block_tables.end(), running.blocks.begin(), running.blocks.end());
  batch.max_blocks = static_cast<std::int32_t>(running.blocks.size());
  return running.n_computed == running.tokens.size();
}

// Takes the tokens that were sampled after `running`'s last one and after its drafts, as far as these are right.
void take(Running& running, std::span<Sampled> sampled) {
  std::size_t n = 0;
  for (bool right = true; right; ++n) {
    running.tokens.push_back(sampled[n].token);
    right = n < running.drafts.size() && running.drafts[n] == sampled[n].token;
    running.sampled.push_back(std::move(sampled[n]));
  }
  running.n_computed += n - 1;
}

void step(ModelRunner& runner, std::vector<Running>& group, const Arrangement& arrangement, const SamplingRow& greedy,
          int n_new) {
  StepBatch batch;
  batch.row_starts = {0};
  std::vector<Running*> sampling;
  for (Running& running : group) {
    guess(running, arrangement, n_new);
    if (!pack(batch, running, arrangement.chunk)) continue;
    sampling.push_back(&running);
    for (std::size_t i = running.drafts.size() + 1; i > 0; --i)
      batch.logits_rows.push_back(batch.row_starts.back() - static_cast<std::int32_t>(i));
  }
  const std::vector<SamplingRow> rows(batch.logits_rows.size(), greedy);
  auto all_sampled = run_step(runner, batch, rows);
  std::span<Sampled> sampled(all_sampled);
  for (Running* one : sampling) {
    Running& running = *one;
    const std::size_t n_rows = running.drafts.size() + 1;
    take(running, sampled.first(n_rows));
    sampled = sampled.subspan(n_rows);
    if (!running.preempted && static_cast<int>(running.sampled.size()) == arrangement.preempt_at) {
      running.preempted = true;
      running.n_computed = 0;
      std::rotate(running.blocks.begin(), running.blocks.begin() + 1, running.blocks.end());  // other pages the second time
    }
  }
}

void score_step(ModelRunner& runner, std::vector<Running>& group, int chunk, int n_top_logprobs) {
  StepBatch batch;
  batch.row_starts = {0};
  std::vector<SamplingRow> rows;
  std::vector<Running*> scoring;  // of each row
  for (Running& running : group) {
    const auto first_row = batch.row_starts.back();
    const std::size_t first = running.n_computed;
    pack(batch, running, chunk);
    for (std::size_t at = first; at < running.n_computed && at + 1 < running.tokens.size(); ++at) {
      batch.logits_rows.push_back(first_row + static_cast<std::int32_t>(at - first));
      rows.push_back({.n_top_logprobs = n_top_logprobs, .score = running.tokens[at + 1]});
      scoring.push_back(&running);
    }
  }
  auto sampled = run_step(runner, batch, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) scoring[i]->sampled.push_back(std::move(sampled[i]));
}

}  // namespace

std::vector<std::vector<Sampled>> generate(ModelRunner& runner, std::span<const std::vector<TokenId>> prompts, int n_new,
                                           const Arrangement& arrangement, int n_top_logprobs) {
  SamplingRow greedy;
  greedy.temperature = 0;
  greedy.n_top_logprobs = n_top_logprobs;
  std::vector<std::vector<Sampled>> results;
  while (results.size() < prompts.size()) {
    std::vector<Running> group;
    std::size_t longest = 0;
    for (std::size_t i = results.size(); i < prompts.size() && group.size() < static_cast<std::size_t>(arrangement.n_together);
         ++i) {
      group.push_back({.prompt = i, .tokens = prompts[i]});
      longest = std::max(longest, prompts[i].size());
    }
    deal_blocks(group, static_cast<int>(longest) + n_new, arrangement.block_size);
    const auto done = [&](const Running& running) { return running.sampled.size() == static_cast<std::size_t>(n_new); };
    const std::size_t first = results.size();
    results.resize(first + group.size());
    std::vector<std::size_t> order(group.size());
    std::iota(order.begin(), order.end(), first);
    while (!group.empty()) {
      step(runner, group, arrangement, greedy, n_new);
      for (std::size_t i = group.size(); i-- > 0;) {
        if (!done(group[i])) continue;
        results[order[i]] = std::move(group[i].sampled);
        group.erase(group.begin() + static_cast<std::ptrdiff_t>(i));
        order.erase(order.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
  return results;
}

std::vector<std::vector<Sampled>> score(ModelRunner& runner, std::span<const std::vector<TokenId>> prompts,
                                        const Arrangement& arrangement, int n_top_logprobs) {
  std::vector<std::vector<Sampled>> results;
  const auto n_together = static_cast<std::size_t>(arrangement.n_together);
  for (std::size_t first = 0; first < prompts.size(); first += n_together) {
    std::vector<Running> group;
    std::size_t longest = 0;
    for (std::size_t i = first; i < std::min(first + n_together, prompts.size()); ++i) {
      group.push_back({.prompt = i, .tokens = prompts[i]});
      longest = std::max(longest, prompts[i].size());
    }
    deal_blocks(group, static_cast<int>(longest), arrangement.block_size);
    const auto done = [](const Running& running) { return running.n_computed == running.tokens.size(); };
    while (!std::ranges::all_of(group, done)) score_step(runner, group, arrangement.chunk, n_top_logprobs);
    for (Running& running : group) results.push_back(std::move(running.sampled));
  }
  return results;
}

}  // namespace mie::test
