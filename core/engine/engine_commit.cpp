// EngineCore's commit: what a step that the model has run changes; the step itself is in engine_step.cpp.
#include "core/engine/engine_core.h"

#include <algorithm>
#include <utility>

namespace mie {

void EngineCore::commit(const Stamps& stamps) {
  const auto held = metrics_.lock();
  metrics_.prefixes_evicted(std::exchange(work_.n_evicted, 0));
  StepFigures figures{.n_seqs = static_cast<int>(work_.rows.size())};
  std::span<Sampled> rest(work_.sampled);
  for (std::size_t i = 0; i < work_.rows.size(); ++i) {
    const StepRow& row = work_.rows[i];
    row.live->times.max_batch = std::max(row.live->times.max_batch, figures.n_seqs);
    figures.n_tokens += row.scheduled.n_tokens;
    const auto scores = rest.first(static_cast<std::size_t>(work_.packed[i].n_scoring()));
    const auto sampled = rest.subspan(scores.size(), static_cast<std::size_t>(row.scheduled.n_sampled()));
    rest = rest.subspan(scores.size() + sampled.size());
    const auto kept = sampled.first(n_kept(row, sampled));
    advance(row, stamps, kept);
    hand_over_scores(*row.live, scores);
    if (!kept.empty()) {
      hand_over(*row.live, kept, stamps.ran);
    } else if (row.live->seq.n_pending() == 0) {  // no token was asked for
      end(*row.live, {.reason = FinishReason::kLength}, {});
    }
  }
  publish_kv();
  figures.plan = stamps.planned - stamps.begin;
  figures.run = stamps.ran - stamps.planned;
  budget_.ran(figures.n_tokens, figures.run);
  figures.commit = parts_.clock.now() - stamps.ran;
  metrics_.step(figures);
  tell(&EngineObserver::committed, CommittedStep{.begin = stamps.begin,
                                                 .plan = figures.plan,
                                                 .run = figures.run,
                                                 .commit = figures.commit,
                                                 .n_blocks_used = pool_.n_used()});
}

// What was sampled after a draft counts if the draft is what was sampled in its place, and nothing counts after an end.
std::size_t EngineCore::n_kept(const StepRow& row, std::span<const Sampled> sampled) const {
  const Sequence& seq = row.live->seq;
  const auto drafts = seq.with_drafts(row.scheduled.n_drafts).subspan(seq.tokens().size());
  std::size_t n = 0;
  while (n < sampled.size()) {
    const TokenId token = sampled[n++].token;
    if (n > drafts.size() || drafts[n - 1] != token) break;
    if (ending(seq, token, seq.n_generated() + static_cast<int>(n))) break;
  }
  return n;
}

void EngineCore::advance(const StepRow& row, const Stamps& stamps, std::span<const Sampled> kept) {
  LiveRequest& live = *row.live;
  if (row.joins) join(live, stamps.begin);
  const int n_accepted = kept.empty() ? 0 : static_cast<int>(kept.size()) - 1;
  const int n_rejected = row.scheduled.n_drafts - n_accepted;
  count_computed(live, row.scheduled, n_rejected, stamps.ran);
  if (row.scheduled.n_drafts > 0) {
    metrics_.drafts(row.scheduled.n_drafts, n_accepted);
    live.draft_length.verified(row.scheduled.n_drafts, n_accepted);
  }
  live.seq.accept(n_accepted);
  live.seq.commit(row.scheduled.n_tokens - n_rejected, kept.empty() ? std::nullopt : std::optional(kept.back().token));
  if (n_rejected > 0) live.seq.trim();
  sharing_.publish(live);
  if (!options_.keep_kv && !kept.empty()) {
    live.seq.forget();
    live.n_published = 0;
  }
  ++live.times.n_steps;
}

// Prompt tokens that a request never computed count as found, also when it is admitted a second time.
void EngineCore::join(LiveRequest& live, Clock::time_point now) {
  const Sequence& seq = live.seq;
  const bool first = !live.times.admitted;
  const int n_found = std::max(0, std::min(seq.n_computed(), seq.n_prompt()) - live.n_ever_computed);
  live.times.n_cached_tokens += n_found;
  live.n_ever_computed = std::max(live.n_ever_computed, seq.n_computed());
  if (options_.prefix_caching && !seq.request().wants_prompt_logits())
    metrics_.prefix_looked_up(first && seq.request().choice == 0 ? seq.n_prompt() : 0, n_found);
  metrics_.admitted(seq.n_total());
  requests_.admitted(live);
  tell(&EngineObserver::admitted, seq.id(), now);
  if (first) live.times.admitted = now;
}

// Worked example, prompt of 10, evicted after 6 computed, then rows 0 … 7: 6 are recomputed, 2 are prefill.
void EngineCore::count_computed(LiveRequest& live, const Scheduled& scheduled, int n_rejected, Clock::time_point now) {
  const int n_prompt = live.seq.n_prompt();
  const int seen = live.n_ever_computed;
  const int n_tokens = scheduled.n_tokens - n_rejected;
  const int end = scheduled.first_position + n_tokens;
  const int fresh = std::max(scheduled.first_position, seen);  // first row that was never computed before
  const int n_again = std::min(end, fresh) - scheduled.first_position;
  const int n_prefill = std::max(0, std::min(end, n_prompt) - fresh);
  metrics_.computed(ComputeKind::kRecompute, n_again);
  metrics_.computed(ComputeKind::kPrefill, n_prefill);
  metrics_.computed(ComputeKind::kDecode, n_tokens - n_again - n_prefill);
  metrics_.computed(ComputeKind::kRejected, n_rejected);
  tell(&EngineObserver::row, scheduled, RowTokens{n_prefill, n_again, n_tokens - n_again - n_prefill, n_rejected});
  live.n_ever_computed = std::max(seen, end);
  if (seen < n_prompt && end >= n_prompt) {
    live.times.prefill_end = now;
    metrics_.prefill_complete(n_prompt, live.times.n_cached_tokens);
  }
}

void EngineCore::hand_over_scores(LiveRequest& live, std::span<Sampled> scores) {
  if (scores.empty()) return;
  live.n_told += static_cast<int>(scores.size());
  auto& prompt = outbox_.emplace_back(live.stream, TokenBatch{}).second.prompt;
  prompt.assign(std::make_move_iterator(scores.begin()), std::make_move_iterator(scores.end()));
}

void EngineCore::hand_over(LiveRequest& live, std::span<Sampled> kept, Clock::time_point now) {
  RequestTimes& times = live.times;
  SampledTokens tokens;
  for (Sampled& sampled : kept) {
    if (times.first_token) {
      metrics_.next_token(now - *times.last_token);
    } else {
      times.first_token = now;
      metrics_.first_token(now - times.arrival);
      tell(&EngineObserver::first_token, live.seq.id(), now);
    }
    times.last_token = now;
    tokens.push_back(std::move(sampled));
  }
  if (auto finish = ending(live.seq, tokens.back().token, live.seq.n_generated())) {
    end(live, *std::move(finish), std::move(tokens));
  } else {
    outbox_.emplace_back(live.stream, TokenBatch{.tokens = std::move(tokens)});
  }
}

// Whether the sequence ends with this one as the `n_generated`-th sampled token.
std::optional<Finish> EngineCore::ending(const Sequence& seq, TokenId token, int n_generated) const {
  const Request& request = seq.request();
  const int n_total = seq.n_prompt() + n_generated;
  const bool may_stop = n_generated > request.min_tokens;  // stop ids are banned until then
  if (may_stop && std::find(request.stop_ids.begin(), request.stop_ids.end(), token) != request.stop_ids.end())
    return Finish{.reason = FinishReason::kStop, .stop_id = token};
  if (n_total == seq.max_total() || n_total >= options_.max_model_len) return Finish{.reason = FinishReason::kLength};
  return {};
}

}  // namespace mie
