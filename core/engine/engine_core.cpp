#include "core/engine/engine_core.h"

#include "core/base/ensure.h"
#include "kv/page_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mie {
namespace {

EndLabel label_of(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return EndLabel::kStop;
    case FinishReason::kLength:
      return EndLabel::kLength;
    case FinishReason::kCancelled:
    case FinishReason::kDeadline:
      return EndLabel::kAbort;
    case FinishReason::kError:
      break;
  }
  return EndLabel::kError;
}

SequenceRecord record_of(const LiveRequest& live) {
  const Sequence& seq = live.seq;
  const auto blocks = seq.blocks().blocks();
  return {.id = seq.id(),
          .state = seq.state(),
          .preempted = live.preempted(),
          .rank = live.rank,
          .n_prompt = seq.n_prompt(),
          .n_total = seq.n_total(),
          .n_computed = seq.n_computed(),
          .max_total = seq.max_total(),
          .last_token = seq.tokens().back(),
          .blocks = {blocks.begin(), blocks.end()}};
}

}  // namespace

EngineCore::EngineCore(const EngineOptions& options, EngineParts parts, EngineMetrics& metrics)
    : options_(options),
      parts_(parts),
      metrics_(metrics),
      pool_(options.n_blocks),
      sharing_(pool_, options),
      requests_(pool_, options),
      work_(options.limits, blocks_for(options.max_model_len, options.block_size)),
      budget_(options.step_time, options.row_time),
      trace_(options.step_ring, options.limits.max_seqs, options.n_blocks) {}

void EngineCore::take(Mail mail) {
  changing_ = true;
  for (Submission& submission : mail.submitted) {
    tell(&EngineObserver::taken, submission);
    requests_.add(std::move(submission));
  }
  if (!mail.released.empty()) {
    const auto held = metrics_.lock();
    for (const auto& [id, letter] : mail.released) release(id, letter);
    publish_kv();
  }
  notify();
  changing_ = false;
}

// A connection that lets go of a request that is still in the engine has found a stop string, or is gone.
void EngineCore::release(RequestId id, const Release& release) {
  RequestRecord& record = requests_.record(id);
  tell(&EngineObserver::released, id, release);
  if (record.live) {
    const bool complete = release.outcome == Outcome::kComplete;
    Finish finish{.reason = complete ? FinishReason::kStop : FinishReason::kCancelled};
    if (!complete) finish.error = Error{Errc::kRequestAborted, "the request was aborted"};
    end(*record.live, std::move(finish), {});
    if (!complete) metrics_.cancelled(parts_.clock.now() - release.at);
  }
  metrics_.released(record.n_generated, release.outcome, release.n_delivered);
  requests_.forget(id);
}

void EngineCore::reap() {
  const Clock::time_point now = parts_.clock.now();
  std::vector<LiveRequest*> late;
  for (LiveRequest* live : requests_.all()) {
    const auto& deadline = live->seq.request().deadline;
    if (deadline && now >= *deadline) late.push_back(live);
  }
  end_each(late, FinishReason::kDeadline, {Errc::kDeadlineExceeded, "the deadline of the request has passed"});
}

EngineCore::Progress EngineCore::end_failed_step() {
  std::vector<LiveRequest*> failed;
  failed.reserve(plan_.run.size());
  for (const Scheduled& planned : plan_.run) failed.push_back(&requests_.live(planned.id));
  plan_.clear();
  tell(&EngineObserver::failed);
  end_each(failed, FinishReason::kError, {Errc::kModelError, "the model step failed"});
  return failed.empty() ? Progress::kNone : Progress::kSome;
}

void EngineCore::end_unstarted(const Error& error) {
  std::vector<LiveRequest*> unstarted;
  for (LiveRequest* live : requests_.waiting()) {
    if (!live->preempted()) unstarted.push_back(live);
  }
  end_each(unstarted, FinishReason::kCancelled, error);
}

void EngineCore::end_all(FinishReason reason, const Error& error) { end_each(requests_.all(), reason, error); }

void EngineCore::end_each(const std::vector<LiveRequest*>& requests, FinishReason reason, const Error& error) {
  if (requests.empty()) return;
  changing_ = true;
  {
    const auto held = metrics_.lock();
    for (LiveRequest* live : requests) end(*live, Finish{.reason = reason, .error = error}, {});
    publish_kv();
  }
  notify();
  changing_ = false;
}

// `live` is gone afterwards. Under the metrics lock.
void EngineCore::end(LiveRequest& live, Finish finish, SampledTokens last_tokens) {
  Sequence& seq = live.seq;
  live.times.finished = parts_.clock.now();
  const int n_prefilled =  // the first choice of a prompt computes it for the others
      seq.request().choice > 0 ? 0 : std::min(live.n_ever_computed, seq.n_prompt()) - live.times.n_cached_tokens;
  metrics_.ended({.label = label_of(finish.reason),
                  .was_running = seq.state() == SeqState::kRunning,
                  .context_full = seq.n_total() >= options_.max_model_len,
                  .n_prompt = seq.n_prompt(),
                  .n_generated = seq.n_generated(),
                  .max_tokens = seq.request().max_tokens,
                  .n_prefilled = n_prefilled,
                  .prompt_complete = live.n_ever_computed >= seq.n_prompt(),
                  .times = live.times});
  finish.times = live.times;
  tell(&EngineObserver::ended, seq, finish);
  outbox_.emplace_back(live.stream, TokenBatch{.tokens = std::move(last_tokens), .finish = std::move(finish)});
  seq.finish(outbox_.back().second.finish->reason);
  const auto group = live.group;
  requests_.ended(live);
  if (group != nullptr) sharing_.ended(*group);
}

int EngineCore::flush_prefixes() {
  tell(&EngineObserver::flushed);
  const auto held = metrics_.lock();
  const int n = sharing_.flush();
  metrics_.prefixes_evicted(n);
  publish_kv();
  return n;
}

void EngineCore::publish_kv() {
  std::int64_t n_unused_slots = 0;  // in last blocks, which nobody shares
  for (const LiveRequest* live : requests_.running()) n_unused_slots += live->seq.blocks().capacity() - live->seq.n_computed();
  metrics_.kv(pool_.n_used(), pool_.n_cached(), n_unused_slots);
}

void EngineCore::notify() {
  for (auto& [stream, batch] : outbox_) stream->push(std::move(batch));
  outbox_.clear();
}

EngineSnapshot EngineCore::snapshot() const {
  EngineSnapshot snapshot;
  snapshot.block_size = options_.block_size;
  snapshot.n_free_blocks = pool_.n_free();
  snapshot.n_cached_blocks = pool_.n_cached();
  for (int block = 0; block < pool_.n_blocks(); ++block) snapshot.n_references.push_back(pool_.n_references(BlockId(block)));
  for (const LiveRequest* live : requests_.running()) snapshot.running.push_back(record_of(*live));
  for (const LiveRequest* live : requests_.waiting()) snapshot.waiting.push_back(record_of(*live));
  for (const auto& [id, record] : requests_.records()) {
    if (!record.live) snapshot.n_generated_ended += record.n_generated;
  }
  snapshot.n_unreleased = static_cast<int>(requests_.records().size());
  const auto held = metrics_.lock();
  snapshot.counted_running = metrics_.load().n_running;
  snapshot.counted_waiting = metrics_.load().n_waiting;
  snapshot.counted_waiting_tokens = metrics_.load().waiting_tokens;
  snapshot.counted_pending_tokens = metrics_.tokens_pending();
  return snapshot;
}

void EngineCore::check_invariants() const {
  pool_.check();
  sharing_.check();
  const auto broken = broken_invariants(snapshot());
  ENSURE(broken.empty(), fmt::format("{}", fmt::join(broken, "; ")));
}

}  // namespace mie
