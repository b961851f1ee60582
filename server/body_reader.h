// Decodes the body of one request from the bytes of its connection: plain or chunked, up to a limit. Beast parses what the
// chunk guard has let pass; where the two disagree the request is refused. Memory grows with the bytes received, whatever
// length was announced. One object a message. Used by one connection; not thread-safe.
#pragma once

#include "server/request_head.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace mie {

class BodyReader {
 public:
  // `head_bytes`: the complete head, already accepted by read_head. A fault here means that the two parsers disagree.
  BodyReader(std::string_view head_bytes, std::size_t limit_bytes);
  ~BodyReader();
  BodyReader(BodyReader&&) noexcept;
  BodyReader& operator=(BodyReader&&) noexcept;

  struct Step {
    std::size_t n_consumed = 0;
    std::optional<HeadFault> fault;
  };
  // Takes what belongs to the body, each byte once.
  Step put(std::string_view bytes);

  [[nodiscard]] const std::optional<HeadFault>& head_fault() const { return head_fault_; }
  [[nodiscard]] bool done() const;
  [[nodiscard]] std::size_t n_bytes() const;  // decoded so far
  [[nodiscard]] std::string take();           // REQUIRES: done()

 private:
  [[nodiscard]] Step feed(std::string_view bytes, std::size_t from);

  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::optional<HeadFault> head_fault_;
};

}  // namespace mie
