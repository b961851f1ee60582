#include "core/sequence.h"

#include "core/base/ensure.h"

#include <limits>
#include <string>
#include <utility>

namespace mie {
namespace {

std::string named(const Request& request, const char* what) {
  return "request " + std::to_string(request.id.value()) + ": " + what;
}

const Request& checked(const std::shared_ptr<const Request>& request) {
  ENSURE(request != nullptr, "a sequence without a request");
  ENSURE(!request->prompt.empty(), named(*request, "empty prompt"));
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  ENSURE(request->max_tokens >= request->least_max_tokens() &&
             request->prompt.size() <= kMost - static_cast<std::size_t>(request->max_tokens),
         named(*request, "max_tokens out of range"));
  return *request;
}

}  // namespace

Sequence::Sequence(std::shared_ptr<const Request> request, BlockPool& pool, int block_size)
    : request_(std::move(request)),
      tokens_(checked(request_).prompt),
      n_total_(static_cast<int>(tokens_.size())),
      blocks_(pool, block_size) {}

SeqView Sequence::view() const {
  ENSURE(state_ != SeqState::kFinished, named(*request_, "view of a finished sequence"));
  return {.id = id(),
          .running = state_ == SeqState::kRunning,
          .n_prompt = n_prompt(),
          .n_total = n_total(),
          .n_computed = n_computed_,
          .n_blocks = blocks_.n_blocks(),
          .n_own_blocks = blocks_.n_blocks() - blocks_.n_shared(),
          .max_total = max_total(),
          .n_drafts = n_drafts()};
}

void Sequence::admit(std::span<const BlockId> found, int n_copied) {
  ENSURE(state_ == SeqState::kWaiting, named(*request_, "admitted while not waiting"));
  const int n_found = static_cast<int>(found.size()) * blocks_.block_size();
  ENSURE(n_copied >= 0 && n_copied < blocks_.block_size(), named(*request_, "copies a whole block or less than nothing"));
  ENSURE(n_found + n_copied < n_total(), named(*request_, "admitted with nothing to compute"));
  tokens_.reserve(static_cast<std::size_t>(max_total()));
  blocks_.make_room(blocks_for(max_total(), blocks_.block_size()));
  blocks_.share(found);
  state_ = SeqState::kRunning;
  n_computed_ = n_found;
  check();
  n_computed_ += n_copied;  // before the block that they are copied into is its own: commit() hands it over
}

void Sequence::commit(int n_tokens, std::optional<TokenId> sampled) {
  ENSURE(state_ == SeqState::kRunning, named(*request_, "commit while not running"));
  ENSURE(n_tokens >= 1 && n_tokens <= n_pending(), named(*request_, "commit of tokens that are not pending"));
  ENSURE(n_computed_ + n_tokens <= blocks_.capacity(), named(*request_, "commit of tokens without blocks"));
  ENSURE(!sampled || n_total() < max_total(), named(*request_, "sampled past max_tokens"));
  ENSURE(sampled.has_value() == view().samples_after(n_tokens), named(*request_, "a token is sampled exactly at the end"));
  accept(0);
  if (sampled) {
    tokens_.push_back(*sampled);
    ++n_total_;
  }
  n_computed_ += n_tokens;
  check();
}

void Sequence::draft(std::span<const TokenId> drafts) {
  ENSURE(state_ == SeqState::kRunning && n_pending() == 1, named(*request_, "drafts without one pending token"));
  ENSURE(drafts.empty() || drafts.size() < static_cast<std::size_t>(max_total() - n_total_),
         named(*request_, "drafts past max_tokens"));
  accept(0);
  tokens_.insert(tokens_.end(), drafts.begin(), drafts.end());
}

void Sequence::accept(int n) {
  ENSURE(n >= 0 && n <= n_drafts(), named(*request_, "accepts drafts that it does not have"));
  n_total_ += n;
  tokens_.resize(static_cast<std::size_t>(n_total_));
}

void Sequence::forget() {
  ENSURE(state_ == SeqState::kRunning, named(*request_, "forgets while not running"));
  accept(0);
  blocks_.clear();
  n_computed_ = 0;
  check();
}

void Sequence::preempt() {
  forget();
  state_ = SeqState::kWaiting;
  check();
}

void Sequence::finish(FinishReason reason) {
  ENSURE(state_ != SeqState::kFinished, named(*request_, "finished twice"));
  accept(0);
  blocks_.clear();
  n_computed_ = 0;
  finish_reason_ = reason;
  state_ = SeqState::kFinished;
  check();
}

void Sequence::check() const {
  ENSURE(n_computed_ >= 0 && n_computed_ <= n_total(), named(*request_, "n_computed outside 0 … n_total"));
  ENSURE(n_total() >= n_prompt() && n_total() <= max_total(), named(*request_, "n_total outside n_prompt … max_total"));
  ENSURE(n_computed_ <= blocks_.capacity(), named(*request_, "computed tokens without blocks"));
  ENSURE(state_ == SeqState::kRunning || blocks_.n_blocks() == 0, named(*request_, "blocks held while not running"));
}

}  // namespace mie
