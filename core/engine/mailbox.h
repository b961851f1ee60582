// The door of the engine: what other threads ask of it, until its strand looks. Each request taken in is owed exactly one
// release; the memory for it is set aside when the request comes in, so that release() needs none and cannot fail.
// A member of the engine. Thread-safe: the only engine state that a mutex guards.
#pragma once

#include "core/base/clock.h"
#include "core/engine/engine_options.h"
#include "core/engine/token_stream.h"
#include "core/request.h"

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace mie {

struct Submission {
  std::shared_ptr<const Request> request;
  std::shared_ptr<TokenStream> stream;
  Clock::time_point enqueued;
};

struct Release {
  Outcome outcome = Outcome::kComplete;
  int n_delivered = 0;
  Clock::time_point at;  // when the connection let go
};

struct Mail {
  std::vector<Submission> submitted;      // in order of arrival
  std::map<RequestId, Release> released;  // of these or of earlier submissions
};

class Mailbox {
 public:
  // All or nothing: a throw (no memory) changes nothing. True: the box was empty, so the engine needs a wake-up.
  bool submit(std::vector<Submission> submissions);

  // True as above. An id that is not owed a release, because it had one or never came in, is ignored.
  bool release(RequestId id, Release release) noexcept;

  // Everything since the last take().
  Mail take() noexcept;

  [[nodiscard]] bool empty() const;

 private:
  [[nodiscard]] bool is_empty() const { return mail_.submitted.empty() && mail_.released.empty(); }

  mutable std::mutex mutex_;
  Mail mail_;
  std::map<RequestId, Release> owed_;  // nodes move to mail_.released
};

}  // namespace mie
