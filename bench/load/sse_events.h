// Server-sent events out of a body that comes in pieces: the joined data lines of each event. Comments and other fields are no
// events. Takes no memory while its lines fit those before them. Value; one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mie::bench {

class SseEvents {
 public:
  explicit SseEvents(std::size_t usual_bytes = 0) {
    line_.reserve(usual_bytes);
    event_.reserve(usual_bytes);
  }

  void clear() {
    line_.clear();
    event_.clear();
    has_lines_ = false;
  }

  // Calls `on_event(std::string_view)` for each event that ends in this piece.
  template <class OnEvent>
  void feed(std::string_view piece, OnEvent&& on_event) {
    for (auto end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
      std::string_view line = piece.substr(0, end);
      piece.remove_prefix(end + 1);
      if (!line_.empty()) line = line_.append(line);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (take(line)) {
        on_event(std::string_view(event_));
        event_.clear();
        has_lines_ = false;
      }
      line_.clear();
    }
    line_.append(piece);
  }

 private:
  // Whether the line ends an event that has something in it.
  bool take(std::string_view line) {
    if (line.empty()) return has_lines_;
    if (!line.starts_with("data:")) return false;
    line.remove_prefix(5);
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (has_lines_) event_ += '\n';
    event_ += line;
    has_lines_ = true;
    return false;
  }

  std::string line_;   // the beginning of one that has not ended
  std::string event_;  // data lines so far
  bool has_lines_ = false;
};

}  // namespace mie::bench
