#include "core/engine/mailbox.h"

#include <iterator>
#include <utility>

namespace mie {

bool Mailbox::submit(std::vector<Submission> submissions) {
  std::map<RequestId, Release> owed;
  for (const auto& submission : submissions) owed.emplace(submission.request->id, Release{});
  const std::lock_guard held(mutex_);
  const bool was_empty = is_empty();
  mail_.submitted.insert(mail_.submitted.end(), std::make_move_iterator(submissions.begin()),
                         std::make_move_iterator(submissions.end()));
  owed_.merge(owed);
  return was_empty;
}

bool Mailbox::release(RequestId id, Release release) noexcept {
  const std::lock_guard held(mutex_);
  auto node = owed_.extract(id);
  if (!node) return false;
  const bool was_empty = is_empty();
  node.mapped() = release;
  mail_.released.insert(std::move(node));
  return was_empty;
}

Mail Mailbox::take() noexcept {
  const std::lock_guard held(mutex_);
  return std::exchange(mail_, {});
}

bool Mailbox::empty() const {
  const std::lock_guard held(mutex_);
  return is_empty();
}

}  // namespace mie
