#include "core/engine/token_stream.h"

#include "core/base/ensure.h"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <iterator>
#include <utility>

namespace mie {
namespace {

template <class Entries>
void append(Entries& to, Entries from) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }
}

}  // namespace

TokenStream::TokenStream(RequestId id, net::any_io_executor executor)
    : id_(id), executor_(std::move(executor)), arrived_(executor_) {}

void TokenStream::push(TokenBatch batch) {
  net::post(executor_, [self = shared_from_this(), batch = std::move(batch)]() mutable { self->deliver(std::move(batch)); });
}

void TokenStream::deliver(TokenBatch batch) {
  append(pending_.prompt, std::move(batch.prompt));
  append(pending_.tokens, std::move(batch.tokens));
  if (batch.finish) pending_.finish = std::move(batch.finish);
  arrived_.notify();
}

bool TokenStream::anything_pending() const {
  return !pending_.prompt.empty() || !pending_.tokens.empty() || pending_.finish.has_value();
}

net::awaitable<TokenBatch> TokenStream::next() {
  const auto self = shared_from_this();  // the caller may drop its reference while it waits
  // One trip through the executor before anything is taken. It bounds the stack for a reader that always finds tokens. And
  // it makes `next() || other()` lossless: the batch is taken and the branch completes inside one handler, so `other` has
  // either completed before (seen below as cancelled, nothing taken) or loses.
  co_await net::post(net::use_awaitable);
  ENSURE(!finished_, "next() after the last batch");
  while (!anything_pending()) co_await arrived_.wait();
  if ((co_await net::this_coro::cancellation_state).cancelled() != net::cancellation_type::none) {
    throw boost::system::system_error(net::error::operation_aborted);
  }
  finished_ = pending_.finish.has_value();
  co_return std::exchange(pending_, {});
}

}  // namespace mie
