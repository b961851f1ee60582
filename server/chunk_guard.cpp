#include "server/chunk_guard.h"

#include <algorithm>

namespace mie {
namespace {

constexpr int kMaxDigits = 16;  // 64 bits

HeadFault bad(std::string_view rule, std::string_view what) {
  return {{Errc::kBadHttp, "malformed request: " + std::string(what), ""}, rule};
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

ChunkGuard::Step ChunkGuard::accept(std::string_view bytes) {
  Step step;
  while (step.n_accepted < bytes.size() && state_ != State::kDone) {
    if (state_ == State::kData) {
      const auto n = std::min<std::uint64_t>(size_, bytes.size() - step.n_accepted);
      step.n_accepted += static_cast<std::size_t>(n);
      size_ -= n;
      if (size_ == 0) state_ = State::kDataCr;
      continue;
    }
    step.fault = next(bytes[step.n_accepted]);
    if (step.fault) return step;
    ++step.n_accepted;
  }
  return step;
}

std::optional<HeadFault> ChunkGuard::size_digit(char c) {
  const int digit = hex_value(c);
  if (digit >= 0) {
    if (++n_digits_ > kMaxDigits) return bad("H11", "chunk size");
    size_ = size_ * 16 + static_cast<std::uint64_t>(digit);
    return {};
  }
  if (n_digits_ == 0 || (c != '\r' && c != ';')) return bad("H11", "chunk size");
  if (c == ';') return bad("H10", "chunk extension");
  state_ = State::kSizeEnd;
  return {};
}

std::optional<HeadFault> ChunkGuard::next(char c) {
  const auto expect = [this, c](char expected, State then, std::string_view rule) -> std::optional<HeadFault> {
    if (c != expected) return bad(rule, rule == "H12" ? "trailer field" : "chunk framing");
    state_ = then;
    return {};
  };
  switch (state_) {
    case State::kSize:
      return size_digit(c);
    case State::kSizeEnd: {
      auto fault = expect('\n', size_ == 0 ? State::kEndCr : State::kData, "H11");
      n_digits_ = 0;
      return fault;
    }
    case State::kDataCr:
      return expect('\r', State::kDataLf, "H11");
    case State::kDataLf:
      return expect('\n', State::kSize, "H11");
    case State::kEndCr:
      return expect('\r', State::kEndLf, "H12");
    case State::kEndLf:
      return expect('\n', State::kDone, "H11");
    default:
      return bad("H11", "chunk framing");
  }
}

}  // namespace mie
