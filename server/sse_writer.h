// Frames of a server-sent event stream, and the HTTP chunk around each write. Pure: collects bytes, the connection sends
// them. One object a stream; used on the connection's strand.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mie {

enum class StreamFraming { kChunked, kCloseDelimited };  // HTTP/1.1 and 1.0

class SseWriter {
 public:
  explicit SseWriter(StreamFraming framing) : framing_(framing) {}

  void event(std::string_view json);  // "data: {json}" and a blank line. REQUIRES: one line
  void ping();                        // a comment, which clients ignore
  void done();                        // "data: [DONE]"

  // Everything since the last call, as one chunk. Empty when there is nothing: an empty chunk would end the body.
  std::string take();

  // Ends the body, after the last take().
  [[nodiscard]] std::string_view end() const { return framing_ == StreamFraming::kChunked ? "0\r\n\r\n" : ""; }

 private:
  StreamFraming framing_;
  std::string frames_;
};

}  // namespace mie
