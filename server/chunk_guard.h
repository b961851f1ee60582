// Strict reader of the framing of a chunked body, beside Beast's: every byte passes it first. Refuses what Beast lets
// through or waits for: chunk extensions, long or padded size lines, bare line feeds, trailers. Follows the data only by
// its length. One object a message; used by one connection.
#pragma once

#include "server/request_head.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace mie {

class ChunkGuard {
 public:
  struct Step {
    std::size_t n_accepted = 0;  // leading bytes that belong to this body
    std::optional<HeadFault> fault;
  };
  // The next bytes of the connection, each once.
  Step accept(std::string_view bytes);

  [[nodiscard]] bool done() const { return state_ == State::kDone; }

 private:
  enum class State { kSize, kSizeEnd, kData, kDataCr, kDataLf, kEndCr, kEndLf, kDone };
  std::optional<HeadFault> next(char c);
  std::optional<HeadFault> size_digit(char c);

  State state_ = State::kSize;
  int n_digits_ = 0;
  std::uint64_t size_ = 0;  // of the chunk; while in kData: what is left of it
};

}  // namespace mie
