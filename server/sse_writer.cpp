#include "server/sse_writer.h"

#include "core/base/ensure.h"

#include <array>
#include <charconv>

namespace mie {

void SseWriter::event(std::string_view json) {
  ENSURE(json.find_first_of("\r\n") == std::string_view::npos, "an event is one line");
  ((frames_ += "data: ") += json) += "\n\n";
}

void SseWriter::ping() { frames_ += ": ping\n\n"; }
void SseWriter::done() { frames_ += "data: [DONE]\n\n"; }

std::string SseWriter::take() {
  std::string out;
  out.swap(frames_);
  if (out.empty() || framing_ == StreamFraming::kCloseDelimited) return out;
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), out.size(), 16);
  std::string chunk(digits.data(), end.ptr);
  ((chunk += "\r\n") += out) += "\r\n";
  return chunk;
}

}  // namespace mie
