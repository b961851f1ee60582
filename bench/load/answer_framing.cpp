#include "bench/load/answer_framing.h"

#include <boost/beast/http/error.hpp>

#include <algorithm>

namespace mie::bench {
namespace {

constexpr std::uint32_t kMostHeadBytes = 64 * 1024;
constexpr std::size_t kStep = 1024;  // bytes that join pending ones at a time: enough for a chunk's size, little to copy

}  // namespace

AnswerFraming::AnswerFraming(std::string& pending) : pending_(pending) {
  pending_.clear();
  eager(true);
  header_limit(kMostHeadBytes);
  body_limit(boost::none);
}

AnswerFraming::State AnswerFraming::feed(std::string_view bytes) {
  State state = State::kReading;
  while (!bytes.empty() && state == State::kReading) {
    if (pending_.empty()) {
      state = parse(bytes);
      if (state == State::kReading) {
        pending_.assign(bytes);
        return state;
      }
    } else {
      const std::string_view part = bytes.substr(0, kStep);
      bytes.remove_prefix(part.size());
      pending_.append(part);
      std::string_view joined = pending_;
      state = parse(joined);
      if (state == State::kComplete && !joined.empty()) surplus_ = true;
      pending_.erase(0, pending_.size() - joined.size());
    }
  }
  if (!bytes.empty()) surplus_ = true;
  return state;
}

AnswerFraming::State AnswerFraming::parse(std::string_view& bytes) {
  while (!bytes.empty() && !is_done()) {
    Code error;
    const std::size_t n = put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    bytes.remove_prefix(n);
    if (error == boost::beast::http::error::need_more) break;
    if (error) return State::kBroken;
  }
  return is_done() ? State::kComplete : State::kReading;
}

AnswerFraming::State AnswerFraming::close() {
  if (!got_some()) return State::kBroken;
  Code error;
  put_eof(error);
  return error ? State::kBroken : State::kComplete;
}

std::size_t AnswerFraming::on_body_impl(View body, Code&) {
  on_piece(body);
  return body.size();
}

void AnswerFraming::on_chunk_header_impl(std::uint64_t size, View, Code&) {
  if (size > 0) on_chunk();
}

std::size_t AnswerFraming::on_chunk_body_impl(std::uint64_t, View body, Code&) {
  on_piece(body);
  return body.size();
}

}  // namespace mie::bench
